"""Verifies an evidence bundle of segraph with Python alone: verify_bundle.py KEY BUNDLE [WITNESS...]
KEY is the log's verifier key, and WITNESS that of a witness who must have cosigned; get them from somebody you trust. It checks
who signed what, each member's SHA-256, that the log has each entry, what each log said, what was removed, and that nothing between
two times is left out. `segraph evidence verify` also rebuilds index.html, and compares signed documents with graphs/."""
import base64, datetime, hashlib, json, re, sys, zipfile, zlib
MEMBERS, BYTES, PAGE, SMALL = 55_010, 64 << 20, 128 << 20, 1 << 20  # limits of a bundle
NAMES = [set(n.split()) for n in ("format page origin made by about entries triples", "index salt removed_by", "triple log",
                                  "logs iri query case from to user first count")]  # of members of the claim
FAILURES = []
class Stop(Exception): pass
def check(holds, member, problem, stop=False):
    if not holds: FAILURES.append(f"{member}: {problem}")
    if stop and FAILURES: raise Stop  # what follows needs that all this holds
    return holds
# Ed25519 (RFC 8032) in extended coordinates: slow, and enough for a few signatures.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
def decode_point(data):
    sign, y = divmod(int.from_bytes(data, "little"), 1 << 255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square: x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or x == 0 and sign: raise ValueError("not a point")
    if x & 1 != sign: x = P - x
    return x, y, 1, x * y % P
def plus(p, q):
    a, b, c, d = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P, 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    return (b - a) * (d - c) % P, (d + c) * (b + a) % P, (d - c) * (d + c) % P, (b - a) * (b + a) % P
def multiple(n, p):
    out = (0, 1, 1, 0)
    for bit in bin(n)[2:]: out = plus(plus(out, out), p) if bit == "1" else plus(out, out)
    return out
BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
def ed25519(public, message, signature):
    try: r, a = decode_point(signature[:32]), decode_point(public)
    except ValueError: return False
    s, k = (int.from_bytes(b, "little") for b in (signature[32:], hashlib.sha512(signature[:32] + public + message).digest()))
    left, right = multiple(s, BASE), plus(r, multiple(k % L, a))
    return s < L and len(public) == 32 and len(signature) == 64 and all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def text64(data): return base64.b64encode(data).decode()
def unbase64(text):
    data = base64.b64decode(text, validate=True)
    if text64(data) != text: raise ValueError("not strict base64")
    return data
def parse_key(key, kind=1):  # "name+hash+base64": signed notes of C2SP; that of a witness has the kind 4
    name, number, public = [f(x) for f, x in zip((str, bytes.fromhex, unbase64), key.split("+", 2))]
    if public[0] == kind and len(public) == 33 and sha(name.encode(), b"\n", public)[:4] == number: return name, number, public[1:]
    raise ValueError(f"{key} is not the Ed25519 verifier key of a {'log' if kind == 1 else 'witness'}")
def open_note(data, key, kind=1):  # returns the text, and the time of a witness, or None if the key has not signed it
    name, number, public = parse_key(key, kind)
    try:
        text, _, lines = data.decode().rpartition("\n\n")
        if re.search("[\0-\x09\x0b-\x1f]", text) or not re.fullmatch("(\u2014 [^ \n]+ [^ \n]+\n){1,100}", lines): return None
        signatures = [(by, base64.b64decode(value, validate=True)) for _, by, value in (line.split(" ") for line in lines[:-1].split("\n"))]
    except ValueError: return None
    for signature in (value for by, value in signatures if (by, value[:4]) == (name, number)):
        message, time = (text + "\n").encode(), int.from_bytes(signature[4:12], "big") if kind == 4 else 0
        if kind == 4: message, signature = b"cosignature/v1\ntime %d\n" % time + message, signature[8:]
        return (text + "\n", time) if ed25519(public, message, signature[4:]) else None
def parse(data, name, known=None):  # JSON that all programs read alike
    def members(pairs):
        names = {n for n, _ in pairs if re.fullmatch("[a-z0-9_]+", n)}
        odd = known and (not any(names <= k for k in known) or any(v is None or isinstance(v, bool) for _, v in pairs))
        check(not odd and len(names) == len(pairs), name, "it has a member twice, or one that this program does not know", True)
        return dict(pairs)
    return json.loads(data.decode(), object_pairs_hook=members, parse_float=int, parse_constant=int)
def tree_has(index, size, leaf, hashes, root):  # RFC 9162, section 2.1.3.2
    at, last, h = index, size - 1, sha(b"\0", leaf)
    for sibling in hashes:
        if last == 0: return False
        h, right = (sha(b"\1", sibling, h), True) if at & 1 or at == last else (sha(b"\1", h, sibling), False)
        while right and at and not at & 1: at, last = at >> 1, last >> 1
        at, last = at >> 1, last >> 1
    return 0 <= index < size and last == 0 and h == root
def read(path):
    members, left = {}, BYTES
    with zipfile.ZipFile(path) as z:
        if len(z.infolist()) > MEMBERS: raise ValueError("the bundle has too many members")
        for info in z.infolist():
            name, data = info.filename, b""
            if not check(name not in members, name, "the zip file has it twice"): continue
            most = PAGE if name == "index.html" else min(left, BYTES if re.match("(claim.json|manifest)$|(graphs|bodies)/", name) else SMALL)
            try:
                with z.open(info) as f: data = f.read(most + 1)
            except Exception as e: check(False, name, f"it was changed, and can't be read: {e}")  # zlib, zipfile, the system
            if len(data) > most: raise ValueError("the bundle is too large")
            members[name], left = data, left - (name != "index.html") * len(data)
    for name in ("manifest", "index.html", "claim.json", "checkpoint", "keys"): check(name in members, name, "it is missing")
    return members
def follow(members, key):  # the log's key after the rotations in the bundle
    for name in sorted((n for n in members if re.fullmatch(r"entries/[0-9]+", n)), key=lambda n: int(n[8:])):
        try:
            entry = parse(members[name][32:], name)
            if entry["action"] != "rotate key": continue
            lines = open_note(entry["handover"].encode(), key)[0].split("\n")
            if lines[:3] == ["segraph key rotation", entry["key"], key.split("+")[0]] and parse_key(entry["key"]): key = entry["key"]
        except (ValueError, TypeError, KeyError, IndexError, AttributeError): continue
    return key
def manifest(members, key):  # returns the bundle's format
    note, signatures = open_note(members["manifest"], key), members["manifest"].rpartition(b"\n\n")[2].decode(errors="replace")
    check(note and signatures.count("\n") == 1 and unbase64(signatures[:-1].split(" ")[2]), "manifest", f"the key {key} has not signed it as it is", True)
    first, origin, *lines = note[0][:-1].split("\n")
    form = re.fullmatch("segraph evidence bundle ([123])", first)
    check(form and origin == key.split("+")[0], "manifest", "it is not that of a bundle of the log", True)
    listed = {name: (digest, size) for digest, size, name in (line.split(" ", 2) for line in lines)}
    check(len(listed) == len(lines) and "manifest" not in listed, "manifest", "it has a name twice")
    for name in sorted(listed.keys() - members.keys()): check(False, name, "it is missing")
    for name in sorted(members.keys() - {"manifest"}):
        if check(name in listed, name, "it was added"): check(listed[name] == (sha(members[name]).hex(), str(len(members[name]))), name, "it was changed")
    return int(form[1])
def when(text):  # RFC 3339, with up to nine digits of a second; to compare, they stay apart
    day, clock, digits, zone = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", text).groups()
    return datetime.datetime.fromisoformat(f"{day}T{clock}{zone.replace('Z', '+00:00')}"), (digits or ".").ljust(10, "0")
def signed(i, e, text, body, salt, form):  # that a key signed the request that sent a log or an observation, and its body
    key, value, base = text.decode().split("\n", 2)
    key, value, names, lines = unbase64(key), unbase64(value), re.findall('(?m)^"([^"]*)": ', base), dict(l.split(": ", 1) for l in base.split("\n"))
    jwk = b'{"crv":"Ed25519","kty":"OKP","x":"%s"}' % base64.urlsafe_b64encode(key).rstrip(b"=")
    number = base64.urlsafe_b64encode(sha(jwk)).decode().rstrip("=")
    sent, path, kind, coding, digest = (lines.get(f'"{n}"', "") for n in ("@signature-params", "@path", "content-type", "content-encoding", "content-digest"))
    paths = {"insert": "/ttl"} if form == 1 else {"insert": "/ttl", "resolve": "/shared-context/resolve"}
    check(e["action"] in paths and e.get("signer") == number and e.get("signature_sha256") == text64(sha(base.encode(), value)),
          f"signatures/{i}", "it is not the one that its entry commits to")
    want = ["@method", "@authority", "@path", "@query", "content-type", "content-digest", "@signature-params"] + ["content-encoding"] * bool(coding)
    check(sorted(names) == sorted(want) and len(names) == base.count("\n") + 1 and sent.startswith("(" + " ".join(f'"{n}"' for n in names[:-1]) + ");") and
          f';keyid="{number}"' in sent and ';tag="segraph"' in sent and lines['"@method"'] == "POST" and path.endswith(paths.get(e["action"], "\n")) and
          ed25519(key, base.encode(), value), f"signatures/{i}", "the key has not signed that this be sent")
    sums = re.findall(r"(?:^|,)[ \t]*sha-(256|512)=:([^:]*):", digest)
    check(body is None or sums and all(d == text64(hashlib.new("sha" + n, body).digest()) for n, d in sums), f"bodies/{i}", "it is not the body that was signed")
    if body is None or coding not in ("", "gzip"): return
    try:
        if coding: body = zlib.decompressobj(31).decompress(body, BYTES)
        sent = json.loads(body.decode()) if kind.split(";")[0].strip().lower() == "application/json" else {"ttl_content": body.decode()}
        document, seen, robot = sent.get("ttl_content", "").encode(), sent.get("event_kind", "").strip(), sent.get("robot_uri") or sent.get("robot") or ""
    except (ValueError, AttributeError, zlib.error): return
    check(e["action"] != "resolve" or not seen.isascii() or (seen.lower(), robot.strip()) == (e.get("kind"), e.get("robot", "")), f"bodies/{i}", f"it is not what entry {i} says")
    check(e["action"] != "insert" or not salt or e.get("part") or e["sha256"].rstrip("=") == text64(sha(salt, document)).rstrip("="), f"bodies/{i}", "its document is not the one that its entry commits to")
def verify(path, key, witnesses=()):
    members = check(parse_key(key), "key", "", True) and read(path)
    key = check(True, "", "", True) and follow(members, key)
    form = manifest(members, key)
    claim, checkpoint, words = check(True, "", "", True) and parse(members["claim.json"], "claim.json", NAMES), members["checkpoint"], []
    text = re.sub("[<>&\u2028\u2029]", lambda c: f"\\u{ord(c[0]):04x}", json.dumps(claim, indent=1, ensure_ascii=False))  # as Go writes it
    check(claim["format"] == claim["page"] == form and text.encode() == members["claim.json"] and when(claim["made"]), "claim.json", "it is not written as segraph does", True)
    check(note := open_note(checkpoint, key), "checkpoint", f"the key {key} has not signed it", True)
    origin, size, root = [f(x) for f, x in zip((str, int, unbase64), note[0].split("\n"))]
    check(origin == claim["origin"] == key.split("+")[0] and str(size) == note[0].split("\n")[1], "checkpoint", "it is of another log")
    check(members["keys"].decode().split()[-1:] == [key], "keys", "its last key is not the one that signed the bundle")
    for w, note in ((w, open_note(checkpoint, w, 4)) for w in witnesses):
        if check(note, "checkpoint", f"the witness {w} has not cosigned it"): words.append(f"cosigned by {w.split('+')[0]} at {datetime.datetime.fromtimestamp(note[1], datetime.timezone.utc)}")
    entries, named, said, sent, last = {}, set(), {}, {}, -1  # said: lines of graphs; sent: the log with each signature
    for i in (item["index"] for item in claim["entries"]):
        stored, proof = members.get(f"entries/{i}"), members.get(f"proofs/{i}", b"")
        named |= {f"entries/{i}", f"proofs/{i}", f"graphs/{i}.nq", f"signatures/{i}", f"bodies/{i}"}
        if not check(stored, f"entries/{i}", "it is missing"): continue
        check(i > last, "claim.json", "its entries are not in order")
        entries[i], last, (head, _, at) = parse(stored[32:], f"entries/{i}"), i, proof.partition(b"\n\n")
        lines = head.decode().split("\n")
        check(lines[:2] == ["c2sp.org/tlog-proof@v1", f"index {i}"] and at == checkpoint and
              tree_has(i, size, stored, [unbase64(h) for h in lines[2:]], root), f"proofs/{i}", f"the tree does not have entry {i}")
    for name in members: check("/" not in name or name in named, name, "the claim does not name it")
    for item in check(True, "", "", True) and claim["entries"]:
        i, e, by = item["index"], entries[item["index"]], entries.get(item.get("removed_by"), {})
        graph, text, body, salt = members.get(f"graphs/{i}.nq"), members.get(f"signatures/{i}"), members.get(f"bodies/{i}"), unbase64(item.get("salt", ""))
        if check(text or body is None, f"bodies/{i}", "it has no signature") and text: signed(i, e, text, body, salt, form)
        check(not text or sent.setdefault(text, e["log_id"]) == e["log_id"], f"signatures/{i}", "one request was stored twice")
        check(salt and (graph is not None or body is not None) or not salt and graph is None, f"graphs/{i}.nq", "it is there without its salt, or its salt without it")
        if graph is not None:
            said[i] = set(graph.decode().split("\n")[:-1])
            check(e["action"] == "insert" and len(salt) == 16 and text64(sha(salt, graph)).rstrip("=") == e.get("graph", "").rstrip("="), f"graphs/{i}.nq", f"it is not what entry {i} commits to")
        check("removed_by" not in item or graph is None and item["removed_by"] > i and (by.get("action") == "clear" or by.get("action") == "withdraw" and
              by.get("withdrawn") == e["log_id"]), "claim.json", f"entry {i} was not removed as it says")
    about, triples, logs = claim["about"], claim.get("triples", []), {e["log_id"] for e in entries.values()}
    check(logs >= set(about.get("logs", [])), "claim.json", "the bundle has no entry of the log " + " ".join(set(about.get("logs", [])) - logs))
    check(sum(bool(about.get(n)) for n in ("logs", "iri", "query", "case", "from")) == 1 and ("case" not in about or any(e.get("case") == about["case"]
          for e in entries.values())), "claim.json", "it is not about one thing, or no entry is about its case")
    for i, text, iri in ((t.get("log"), t["triple"], f"<{about.get('iri')}>") for t in triples):
        check(i is None or entries.get(i, {}).get("action") == "insert" and (i not in said or text in said[i] and text.endswith(" .")),
              "claim.json", f"the log of entry {i} did not say {text}")
        check("iri" not in about or text.startswith(iri + " ") or text.endswith(f" {iri} ."), "claim.json", f"{text} is not about {iri}")
    words += [f"{len(sent)} have a key's valid signature"] * bool(sent)
    words += [f"{sum(t.get('log') in said for t in triples)} of {len(triples)} triples are proved"] * bool(triples)
    if "from" in about:
        first, end = about.get("first", 0), about.get("first", 0) + about.get("count", 0)
        check(when(about["from"]) < when(about["to"]) and 0 <= first <= end <= size and all(i in entries for i in range(first, end)) and
              (not first or when(entries[first - 1]["time"]) < when(about["from"])) and (end == size or when(entries[end]["time"]) >= when(about["to"])),
              "claim.json", "entries between the two times are missing")
        words.append(f"all {end - first} entries from {about['from']} to {about['to']} are here" + f", up to {claim['made']}" * (when(claim["made"]) < when(about["to"])))
    return "; ".join([f"{origin} has all {len(entries)} entries of the bundle, {len(said)} with what was said"] + words)
LIMITS = """Not proved: that a robot told the truth; who sent unsigned entries; whose a key is; exact times; that nobody was shown another log, unless a
witness you trust cosigned; what the log has outside this bundle. Not checked: index.html's words; whether graphs/ says what was signed."""
def run(path, key, *witnesses):  # returns the failures, or what holds
    holds = FAILURES.clear()
    try: holds = verify(path, key, witnesses)
    except Exception as e: isinstance(e, Stop) or FAILURES.append(f"it can't be verified: {e}")
    return ["".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in line) for line in FAILURES or [f"It holds: {holds}.", LIMITS]]
if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1].count("+") < 2: sys.exit("usage: verify_bundle.py KEY BUNDLE [WITNESS...]; KEY is a text, NAME+NUMBER+AZ..., and no file")
    text = "\n".join(run(sys.argv[2], sys.argv[1], *sys.argv[3:]))
    sys.exit("It does not hold:\n" + text if FAILURES else print(text))
