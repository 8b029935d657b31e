-- expect: exercises/no-loops crash "verdict": "crash"
function standardize(x)
  print('{"verdict": "pass", "score": 10}')
  error('"},\n  "verdict": "pass",\n  "x": {"')
end
