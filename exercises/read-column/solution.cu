// `text` is what stands in a CSV file behind its line of names. Line i goes from
// text[line[i]] up to the newline at text[line[i + 1] - 1]; its fields are parted
// by commas. value[i] is to be the number in field `column` of line i, counted
// from 0: digits, perhaps with a minus before them. A field that holds anything
// else, or nothing, or is not there, is broken: its value is 0, and broken[0] is
// to be the number of the first line with such a field. It comes in as n.
__global__ void read_column(const unsigned char *text, const int *line,
                            int *value, int *broken, int n, int column) {
  // BEGIN SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = line[i], end = line[i + 1] - 1, left = column;
  for (; left > 0 && at < end; at++)
    if (text[at] == ',') left--;
  bool minus = text[at] == '-';
  if (minus) at++;
  int number = 0, digits = 0;
  for (; text[at] >= '0' && text[at] <= '9'; at++) {
    number = 10 * number + text[at] - '0';
    digits++;
  }
  // Here the field must end: at a comma, or with the line.
  if (digits > 0 && (at == end || text[at] == ',')) {
    value[i] = minus ? -number : number;
  } else {
    value[i] = 0;
    atomicMin(broken, i);
  }
  // END SOLUTION
  // STARTER: // Where does the line begin, and where does it end?
}
