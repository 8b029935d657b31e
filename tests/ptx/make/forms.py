import re
def parse(path='gpu/ptx/ptx_forms.def'):
    macros={};out=[]
    for line in open(path):
        line=line.split('//')[0].strip()
        m=re.match(r'#define (\w+) (.*)',line)
        def ev(expr):
            return ''.join(t[1:-1] if t[0]=='"' else macros[t] for t in re.findall(r'"[^"]*"|\w+',expr))
        if m: macros[m.group(1)]=ev(m.group(2)); continue
        m=re.match(r'FORM\((\w+), (.*), (\d+), (\d+)\)$',line)
        if m: out.append((m.group(1).lower(),groups(ev(m.group(2))),int(m.group(3)),int(m.group(4))))
    return out
def groups(p):
    g=[]
    for m in re.finditer(r'\.([^.{(\[]+)|\{([^}]*)\}|\(([^)]*)\)|\[([^\]]*)\]',p):
        if m.group(1): g.append(('.',[m.group(1)]))
        elif m.group(2): g.append(('{',m.group(2).split(',')))
        elif m.group(3): g.append(('(',m.group(3).split(',')))
        else: g.append(('[',m.group(4).split(',')))
    return g
