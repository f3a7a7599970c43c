"""Verifies with Python and OpenSSL's library alone who sent a request: verify_signature.py SIGNED.json

SIGNED.json is the answer of GET /logs/{log_id}/signature. Needs cryptography from PyPI. Compare the
key that it prints with one that you have from the robot's owner."""
import base64, hashlib, json, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key

if len(sys.argv) != 2: sys.exit("usage: verify_signature.py SIGNED.json")
signed = json.load(open(sys.argv[1]))
if "signature_base" not in signed: sys.exit("this is not the answer of GET /logs/{log_id}/signature: " + signed.get("detail", "it has no signature_base"))
base = signed["signature_base"].encode()
key = load_pem_public_key(signed["public_key"].encode())
y, p = int.from_bytes(key.public_bytes_raw(), "little") % 2**255, 2**255 - 19
small = 2707385501144840649318225287225658788936804267575313519463743609750303402022  # of order 8, as p - small
if y >= p or y in (0, 1, p - 1, small, p - small): sys.exit("signatures by this key prove nothing: its order is small")
x = base64.urlsafe_b64encode(key.public_bytes_raw()).rstrip(b"=").decode()
thumbprint = hashlib.sha256(b'{"crv":"Ed25519","kty":"OKP","x":"%s"}' % x.encode()).digest()
key_id = base64.urlsafe_b64encode(thumbprint).rstrip(b"=").decode()
try:
    key.verify(base64.b64decode(signed["signature"]), base)
except InvalidSignature:
    sys.exit("the signature is wrong: the key did not sign this")
if f';keyid="{key_id}"' not in signed["signature_base"]: sys.exit("the signature names another key")
print("signed by the key", key_id)
print("the entry's signature_sha256 must be", base64.b64encode(hashlib.sha256(base + base64.b64decode(signed["signature"])).digest()).decode())
if "body" not in signed: sys.exit(print("the body was erased; what it was can't be shown any more") or 0)
body, what = base64.b64decode(signed["body"]), "body"
if '"list-digest": ' in signed["signature_base"]:  # it signed a list, of which this body has one line
    listed, _, rest = body.partition(b"\n\n")
    index, salt, line = rest.split(b" ", 2)
    fits = base64.b64encode(hashlib.sha256(base64.b64decode(salt + b"==") + line).digest()).rstrip(b"=")
    if listed.split(b"\n")[int(index)] != fits: sys.exit("the body is wrong: the list does not have its line")
    body, what = listed + b"\n", "list, which has the line of the body,"
digests = [f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:", f"sha-512=:{base64.b64encode(hashlib.sha512(body).digest()).decode()}:"]
line = next(l for l in signed["signature_base"].splitlines() if l.startswith(('"content-digest": ', '"list-digest": ')))
if not any(d in line for d in digests): sys.exit("the body is wrong: the key signed another")
print("it signed this", what, "of", len(body), "bytes")
