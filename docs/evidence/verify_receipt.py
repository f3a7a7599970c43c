"""verify_receipt.py KEY ANSWER [TURTLE] verifies a receipt of segraph with Python alone. KEY is the log's verifier key.
ANSWER is the answer of POST /ttl with Prefer: receipt. TURTLE is what was sent, to compare it. It prints the entry,
with who sent it if the answer shows that, or fails with what is wrong."""
import base64, hashlib, json, sys
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, I = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)
WHO = "actor claimed owner robot signer key username jti".split()  # the values of who, in the order of its hash
def sha(b): return hashlib.sha256(b).digest()
def text64(b): return base64.b64encode(b).decode().rstrip("=")
def check(holds, problem):  # not the statement assert, which python -O skips
    if not holds: raise AssertionError(problem)
def x_of(y, sign):  # a point's x (RFC 8032, section 5.1.3)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square: x = x * I % P
    check(y < P and x * x % P == square and (x or not sign), "not a point")
    return x if x & 1 == sign else P - x
def point(b):
    n = int.from_bytes(b, "little")
    return x_of(n & (2**255 - 1), n >> 255), n & (2**255 - 1)
def add(a, b):
    (x1, y1), (x2, y2) = a, b
    k = D * x1 * x2 * y1 * y2 % P
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P
def times(n, a):
    out = (0, 1)
    for bit in bin(n)[2:]: out = add(add(out, out), a if bit == "1" else (0, 1))
    return out
def signed(public, message, signature):
    r, s, y = signature[:32], int.from_bytes(signature[32:], "little"), 4 * pow(5, -1, P) % P
    k = int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % L
    base = (x_of(y, 0), y)
    if times(8, point(public))[0] == 0: return False  # a key of small order proves nothing
    return s < L and times(s, base) == add(point(r), times(k, point(public)))
def verify(key, answer, content=None):
    check(key.count("+") >= 2, "KEY is not a verifier key, as `segraph audit key` prints it")
    name, number, public = [f(x) for f, x in zip((str, str, base64.b64decode), key.split("+", 2))]
    check("receipt" in answer, answer.get("detail", "it has no receipt: was it sent with Prefer: receipt?"))
    proof, checkpoint = answer["receipt"].split("\n\n", 1)
    lines, (text, notes) = proof.split("\n"), checkpoint.split("\n\n", 1)
    check(lines[0] == "c2sp.org/tlog-proof@v1" and lines[1].startswith("extra "), "not a receipt")
    origin, size, root = text.split("\n")[:3]
    notes = [base64.b64decode(n.split(" ")[2]) for n in notes.splitlines() if n.startswith(f"\u2014 {name} ")]
    check(origin == name and public[0] == 1, "the receipt is of another log")
    notes = [n[4:] for n in notes if n[:4].hex() == number]
    check(any(signed(public[1:], (text + "\n").encode(), n) for n in notes), "the signature is wrong")
    entry, index, last = base64.b64decode(lines[1][6:]), int(lines[2][6:]), int(size) - 1
    h, at = sha(b"\0" + entry), index  # RFC 9162, section 2.1.3.2
    check(0 <= index <= last, "the index is not in the log")
    for sibling in map(base64.b64decode, lines[3:]):
        check(last > 0, "the proof is too long")
        h = sha(b"\1" + sibling + h) if at & 1 or at == last else sha(b"\1" + h + sibling)
        while at == last and at and not at & 1: at, last = at >> 1, last >> 1
        at, last = at >> 1, last >> 1
    check(last == 0 and h == base64.b64decode(root), "the log does not have the entry")
    entry = json.loads(entry[32:])
    if content is not None:
        salt, size, part = base64.b64decode(answer["salt"]), len(content), entry.get("bytes")  # of a log in parts
        check(not part or part.endswith(f"+{size}"), f"the entry is only of the bytes {part}: compare these alone")
        check(entry["sha256"] == text64(sha(salt + content)), "the entry is of another content")
    who = answer.get("open", {}).get("who")
    if who is not None:
        values = "".join(value + "\n" for value in who["values"])
        digest = text64(sha(base64.b64decode(who["salt"]) + values.encode()))
        fits = values.count("\n") == len(who["values"]) == len(WHO)
        check(fits and entry["who"] == digest, "the entry is of another sender")
        entry.update((name, value) for name, value in zip(WHO, who["values"]) if value)
    return entry
if __name__ == "__main__":
    if len(sys.argv) not in (3, 4): sys.exit("usage: verify_receipt.py KEY ANSWER [TURTLE]")
    try:
        sent = open(sys.argv[3], "rb").read() if sys.argv[3:] else None
        print(verify(sys.argv[1], json.load(open(sys.argv[2])), sent))
    except (AssertionError, AttributeError, OSError, TypeError, ValueError, KeyError, IndexError) as e:
        sys.exit(f"it is not verified: {e}")
