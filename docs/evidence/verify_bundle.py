"""Verifies an evidence bundle of segraph with Python alone: verify_bundle.py KEY BUNDLE
KEY is the log's verifier key, from somebody you trust. It checks who signed the manifest, the checkpoint
and the logs, each member's SHA-256, that the log has each entry, what each log said, what was removed, and
that no entry between two times is left out, and prints what holds, or each failure. `segraph evidence
verify` also rebuilds index.html, reads signed documents, and verifies witnesses."""
import base64, datetime, hashlib, json, re, sys, zipfile
MEMBERS, BYTES, PAGE = 55_010, 64 << 20, 128 << 20  # limits of a bundle
FAILURES = []
def check(holds, member, problem):
    if not holds: FAILURES.append(f"{member}: {problem}")
    return holds
# Ed25519 (RFC 8032) in extended coordinates: slow, and enough for a few signatures.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
def decode_point(data):
    n = int.from_bytes(data, "little")
    sign, y = n >> 255, n & (1 << 255) - 1
    if y >= P: raise ValueError("not a point")
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square: x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square or (x == 0 and sign): raise ValueError("not a point")
    if x & 1 != sign: x = P - x
    return x, y, 1, x * y % P
def plus(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    return (b - a) * (d - c) % P, (d + c) * (b + a) % P, (d - c) * (d + c) % P, (b - a) * (b + a) % P
def multiple(n, p):
    out = (0, 1, 1, 0)
    while n:
        if n & 1: out = plus(out, p)
        p, n = plus(p, p), n >> 1
    return out
BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
def ed25519(public, message, signature):
    try: r, a = decode_point(signature[:32]), decode_point(public)
    except ValueError: return False
    s, k = (int.from_bytes(b, "little") for b in (signature[32:], hashlib.sha512(signature[:32] + public + message).digest()))
    left, right = multiple(s, BASE), plus(r, multiple(k % L, a))
    return s < L and len(signature) == 64 and all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def unbase64(text):
    data = base64.b64decode(text, validate=True)
    if text64(data) != text: raise ValueError("not strict base64")
    return data
def parse_key(key):  # "name+hash+base64": signed notes of C2SP
    name, number, public = [f(x) for f, x in zip((str, bytes.fromhex, unbase64), key.split("+", 2))]
    if public[0] != 1 or len(public) != 33 or sha(name.encode(), b"\n", public)[:4] != number:
        raise ValueError("the key is not an Ed25519 verifier key")
    return name, number, public[1:]
def open_note(data, key):  # returns the text, or None if the key has not signed it
    (name, number, public), (text, _, lines) = parse_key(key), data.decode().rpartition("\n\n")
    text += "\n"
    for line in lines.splitlines():
        parts = line.split(" ")
        if len(parts) != 3 or parts[:2] != ["\u2014", name]: continue
        try: signature = unbase64(parts[2])
        except ValueError: continue
        if signature[:4] == number and ed25519(public, text.encode(), signature[4:]): return text
    return None
def tree_has(index, size, leaf, hashes, root):  # RFC 9162, section 2.1.3.2
    at, last, h = index, size - 1, sha(b"\0", leaf)
    for sibling in hashes:
        if last == 0: return False
        if at & 1 or at == last:
            h = sha(b"\1", sibling, h)
            while at and not at & 1: at, last = at >> 1, last >> 1
        else: h = sha(b"\1", h, sibling)
        at, last = at >> 1, last >> 1
    return 0 <= index < size and last == 0 and h == root
def read(path):
    members, left = {}, {True: PAGE, False: BYTES}
    with zipfile.ZipFile(path) as z:
        if len(z.infolist()) > MEMBERS: raise ValueError("the bundle has too many members")
        for info in z.infolist():
            check(info.filename not in members, info.filename, "the zip file has it twice")
            page = info.filename == "index.html"
            try:
                with z.open(info) as f: data = f.read(left[page] + 1)
            except Exception as e:  # zlib, zipfile and the system each have their own
                data, _ = b"", check(False, info.filename, f"it was changed, and can't be read: {e}")
            left[page] -= len(data)
            if left[page] < 0: raise ValueError("the bundle is too large")
            members[info.filename] = data
    for name in ("manifest", "index.html", "claim.json", "checkpoint", "keys"):
        check(name in members, name, "it is missing")
    return members
def follow(members, key):  # the log's key after the rotations in the bundle
    for name in sorted((n for n in members if re.fullmatch(r"entries/\d+", n)), key=lambda n: int(n[8:])):
        try: entry = json.loads(members[name][32:])
        except ValueError: continue
        if not isinstance(entry, dict) or entry.get("action") != "rotate key": continue
        text = open_note(entry.get("handover", "").encode(), key)
        lines = (text or "").split("\n")
        if lines[0] == "segraph key rotation" and lines[1:3] == [entry.get("key"), key.split("+")[0]]: key = entry["key"]
    return key
def manifest(members, key):
    try: text = open_note(members["manifest"], key)
    except ValueError: text = None
    signatures = members["manifest"].rpartition(b"\n\n")[2]
    if not check(text and signatures.count(b"\n") == 1 and signatures.endswith(b"\n"), "manifest", f"the key {key} has not signed it as it is"): return
    first, origin, *lines = text.removesuffix("\n").split("\n")
    check(first == "segraph evidence bundle 1" and origin == key.split("+")[0], "manifest", "it is not that of a bundle of the log")
    listed = {"manifest"}
    for line in lines:
        digest, size, name = line.split(" ", 2)
        listed.add(name)
        if check(name in members, name, "it is missing"):
            check(hashlib.sha256(members[name]).hexdigest() == digest and str(len(members[name])) == size, name, "it was changed")
    for name in sorted(set(members) - listed): check(False, name, "it was added")
def when(text):  # RFC 3339, with up to nine digits of a second; to compare, they stay apart
    day, clock, digits, zone = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", text).groups()
    return datetime.datetime.fromisoformat(f"{day}T{clock}{zone.replace('Z', '+00:00')}"), (digits or ".").ljust(10, "0")
def text64(data): return base64.b64encode(data).decode()
def url64(data): return base64.urlsafe_b64encode(data).decode().rstrip("=")
def signature_of(i, e, text, body, salt):  # that a key signed the request that sent the log, and its body
    if not check(text or body is None, f"bodies/{i}", "it has no signature") or not text: return
    key, value, base = text.decode().split("\n", 2)
    key, value, lines = unbase64(key), unbase64(value), dict(l.split(": ", 1) for l in base.split("\n"))
    number = url64(sha(b'{"crv":"Ed25519","kty":"OKP","x":"%s"}' % url64(key).encode()))
    sent, path, kind, coding, digest = (lines.get(f'"{n}"', "") for n in ("@signature-params", "@path", "content-type", "content-encoding", "content-digest"))
    check(e["action"] == "insert" and e.get("signer") == number and e.get("signature_sha256") == text64(sha(base.encode(), value)), f"signatures/{i}", "it is not the one that its entry commits to")
    check(f';keyid="{number}"' in sent and ';tag="segraph"' in sent and lines.get('"@method"') == "POST" and path.endswith("/ttl") and
          ed25519(key, base.encode(), value), f"signatures/{i}", "the key has not signed that a log be sent")
    if body is None: return
    check((sent := re.findall("sha-(256|512)=:([^:]*):", digest)) and all(d == text64(hashlib.new("sha" + n, body).digest()) for n, d in sent), f"bodies/{i}", "it is not the body that was signed")
    if coding or not salt or e.get("part"): return
    document = json.loads(body)["ttl_content"].encode() if kind.lower().startswith("application/json") else body
    check(e["sha256"] == text64(sha(salt, document)), f"bodies/{i}", "its document is not the one that its entry commits to")
def verify(path, key):
    parse_key(key)
    members = read(path)
    if FAILURES: return None
    key = follow(members, key)
    manifest(members, key)
    if FAILURES: return None  # the other checks need the members as they were signed
    claim, checkpoint = json.loads(members["claim.json"]), members["checkpoint"]
    known = {"format", "page", "origin", "made", "by", "about", "entries", "triples"}
    if not check((claim["format"], claim["page"]) == (1, 1) and set(claim) <= known, "claim.json", "this program knows format 1 alone"): return None
    text = open_note(checkpoint, key)
    if not check(text, "checkpoint", f"the key {key} has not signed it"): return None
    origin, size, root = [f(x) for f, x in zip((str, int, unbase64), text.split("\n"))]
    check(origin == claim["origin"] == key.split("+")[0], "checkpoint", "it is of another log")
    check(members["keys"].decode().split()[-1:] == [key], "keys", "its last key is not the one that signed the bundle")
    entries, named = {}, set()
    for item in claim["entries"]:
        i = item["index"]
        stored, proof = members.get(f"entries/{i}"), members.get(f"proofs/{i}", b"")
        named |= {f"entries/{i}", f"proofs/{i}", f"graphs/{i}.nq", f"signatures/{i}", f"bodies/{i}"}
        if not check(stored, f"entries/{i}", "it is missing"): continue
        check(not entries or i > max(entries), "claim.json", "its entries are not in order")
        entries[i] = json.loads(stored[32:])
        head, _, signed = proof.partition(b"\n\n")
        lines = head.decode().split("\n")
        check(lines[:2] == ["c2sp.org/tlog-proof@v1", f"index {i}"] and signed == checkpoint and
              tree_has(i, size, stored, [unbase64(h) for h in lines[2:]], root), f"proofs/{i}", f"the tree does not have entry {i}")
    for name in members: check("/" not in name or name in named, name, "the claim does not name it")
    if FAILURES: return None
    for item in claim["entries"]:
        i, e, graph = item["index"], entries[item["index"]], members.get(f"graphs/{item['index']}.nq")
        body, salt = members.get(f"bodies/{i}"), unbase64(item.get("salt") or "")
        signature_of(i, e, members.get(f"signatures/{i}"), body, salt)
        check((salt or graph is None) and (not salt or graph is not None or body is not None), f"graphs/{i}.nq", "it is there without its salt, or its salt without it")
        if graph is not None:
            check(e["action"] == "insert" and len(salt) == 16 and text64(sha(salt, graph)) == e.get("graph"),
                  f"graphs/{i}.nq", f"it is not what entry {i} commits to")
        if item.get("removed_by") is not None:
            by = entries.get(item["removed_by"], {})
            check(graph is None and item["removed_by"] > i and (by.get("action") == "clear" or
                  by.get("action") == "withdraw" and by.get("withdrawn") == e["log_id"]), "claim.json", f"entry {i} was not removed as it says")
    about = claim["about"]
    for log in about.get("logs", []):
        check(any(e["log_id"] == log for e in entries.values()), "claim.json", f"the bundle has no entry of the log {log}")
    proved, triples = 0, claim.get("triples", [])
    for t in triples:
        if t.get("log") is None: continue
        graph = members.get(f"graphs/{t['log']}.nq")
        check(entries.get(t["log"], {}).get("action") == "insert", "claim.json", f"entry {t['log']} is not a log")
        if graph is None: continue
        check(t["triple"].encode() in graph.split(b"\n"), "claim.json", f"the log of entry {t['log']} did not say {t['triple']}")
        proved += 1
    words = [f"{origin} has {len(entries)} entries of the bundle, {sum(n.startswith('graphs/') for n in members)} with their content"]
    if n := sum(n.startswith("signatures/") for n in members): words.append(f"{n} are signed by their senders' keys")
    if triples: words.append(f"{proved} of {len(triples)} triples are proved")
    if "from" in about:
        first, end = about.get("first", 0), about.get("first", 0) + about.get("count", 0)
        check(when(about["from"]) < when(about["to"]) and end <= size and all(i in entries for i in range(first, end)) and
              (first == 0 or first - 1 in entries and when(entries[first - 1]["time"]) < when(about["from"])) and
              (end == size or end in entries and when(entries[end]["time"]) >= when(about["to"])), "claim.json", "entries between the two times are missing")
        words.append(f"all {end - first} entries from {about['from']} to {about['to']} are here")
    return "; ".join(words)
if __name__ == "__main__":
    if len(sys.argv) != 3: sys.exit("usage: verify_bundle.py KEY BUNDLE")
    if sys.argv[1].count("+") < 2: sys.exit("KEY is not a verifier key, as `segraph audit key` prints it")
    try: holds = verify(sys.argv[2], sys.argv[1])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, zipfile.BadZipFile) as e: sys.exit(f"it is not a bundle: {e}")
    except OSError as e: sys.exit(f"the bundle can't be read: {e}")
    if FAILURES: sys.exit("\n".join(FAILURES))
    print(f"It holds: {holds}. Not checked: the words of index.html, witnesses, and whether signed bodies say what is in graphs/.")
