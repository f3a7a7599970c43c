"""Verifies an evidence bundle of segraph with Python alone: verify_bundle.py KEY BUNDLE [WITNESS...]
KEY is the log's verifier key, and WITNESS that of a witness who must have cosigned; get them from somebody you trust.
It checks the form of all members, who signed what, that the log has each entry, and that none of a time is missing."""
import base64, datetime, gzip, hashlib, io, json, mmap, re, struct, sys, zlib

MEMBERS, BYTES, PAGE, SMALL, MANIFEST = 55_010, 64 << 20, 128 << 20, 1 << 20, 6 << 20  # limits of a bundle
NAME = r"(index\.html|claim\.json|checkpoint|keys|manifest|(entries|proofs|signatures|bodies)/{0}|graphs/{0}\.nq)"
NAME = re.compile(NAME.format("(0|[1-9][0-9]{,17})").encode())
KNOWN = [names.split() for names in (  # the members that objects of the claim may have, in order
    "format origin made by about entries triples", "index open salt removed_by", "who what", "salt values",
    "triple log", "logs iri query case from to user first count")]
NEVER_EMPTY = set("triples salt logs iri query case user first count".split())
GROUPS = {"who": "actor claimed owner robot signer key username jti".split(),
          "what": "subject kind observed detail".split(), "client": ["address", "request_id"]}
FAILURES = []
class Stop(Exception): pass
def check(holds, member, problem, stop=False):
    if not holds: FAILURES.append(f"{member}: {problem}")
    if stop and FAILURES: raise Stop  # what follows needs that all this holds
    return holds
def checked(): check(True, "", "", True)

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
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    return (b - a) * (d - c) % P, (d + c) * (b + a) % P, (d - c) * (d + c) % P, (b - a) * (b + a) % P
def multiple(n, p):
    out = (0, 1, 1, 0)
    for bit in bin(n)[2:]: out = plus(plus(out, out), p) if bit == "1" else plus(out, out)
    return out
BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
def ed25519(public, message, signature):
    try: r, a = decode_point(signature[:32]), decode_point(public)
    except ValueError: return False
    if len(public) != 32 or len(signature) != 64 or multiple(8, a)[0] == 0: return False  # a key of small order
    s, k = int.from_bytes(signature[32:], "little"), hashlib.sha512(signature[:32] + public + message).digest()
    left, right = multiple(s, BASE), plus(r, multiple(int.from_bytes(k, "little") % L, a))
    return s < L and all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def text64(data): return base64.b64encode(data).decode()
def unbase64(text):
    data = base64.b64decode(text, validate=True)
    if text64(data) != text: raise ValueError("not strict base64")
    return data
def parse_key(key, kind=1):  # "name+hash+base64": signed notes of C2SP; that of a witness has the kind 4
    try: name, number, public = [f(x) for f, x in zip((str, bytes.fromhex, unbase64), key.split("+", 2))]
    except ValueError: name, number, public = "", b"", b""  # it has no parts
    if public[:1] == bytes([kind]) and len(public) == 33 and sha(name.encode(), b"\n", public)[:4] == number:
        return name, number, public[1:]
    raise ValueError(f"{key} is not the Ed25519 verifier key of a {'log' if kind == 1 else 'witness'}")
def open_note(data, key, kind=1):  # returns the text, and the time of a witness, or None if the key has not signed it
    name, number, public = parse_key(key, kind)
    try:
        text, _, lines = data.decode().rpartition("\n\n")
        fits = re.fullmatch("(\u2014 [^\\s+]+ (?!\\S{6}==\n)\\S{8,}\n){1,100}", lines)
        if re.search("[\0-\x09\x0b-\x1f]", text) or not fits: return None
        signatures = [line.split(" ")[1:] for line in lines[:-1].split("\n")]
        signatures = [(by, base64.b64decode(value, validate=True)) for by, value in signatures]
    except ValueError: return None
    for signature in (value for by, value in signatures if (by, value[:4]) == (name, number)):
        message, time = (text + "\n").encode(), 0
        if kind == 4:
            time, signature = int.from_bytes(signature[4:12], "big"), signature[8:]
            message = b"cosignature/v1\ntime %d\n" % time + message
        return (text + "\n", time) if ed25519(public, message, signature[4:]) else None
def signed_once(data):  # whether a note has one signature, in strict base64
    lines = data.rpartition(b"\n\n")[2].decode(errors="replace")
    try: return lines.count("\n") == 1 and bool(unbase64(lines[:-1].split(" ")[2]))
    except (ValueError, IndexError): return False
def crowded(data, most):  # whether JSON would take much memory: by its commas and opening brackets outside texts
    bare = b"".join(data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"', 4 * most)[::2])
    return sum(map(bare.count, (b",", b"{", b"["))) > most
def parse(data, name, known=None):  # JSON that all programs read alike
    check(not known or not crowded(data, 600_000), name, "it says more than a bundle can have", True)
    def members(pairs):
        names = [n for n, _ in pairs if re.fullmatch("[a-z0-9_]+", n)]
        odd = known and any(v is None or isinstance(v, bool) or not v and n in NEVER_EMPTY for n, v in pairs)
        odd = odd or known and not any(names == [n for n in k if n in names] for k in known)
        check(not odd and len(set(names)) == len(pairs), name, "it has a member twice, or one of another form", True)
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

def places(zipped):  # the members of a zip file whose bytes all follow from them: name to offset and fields
    end, whole = zipped[-22:], "the zip file"
    check(len(end) == 22 and len(zipped) <= BYTES + PAGE + MEMBERS * 140 + 22, whole, "it is not a bundle", True)
    count, length, at = struct.unpack("<H2L", end[10:20])
    fits = end == b"PK\5\6" + struct.pack("<4H2LH", 0, 0, count, count, length, at, 0)
    check(fits and at + length + 22 == len(zipped), whole, "it does not end as that of a bundle", True)
    check(count <= MEMBERS and length <= MEMBERS * 78, whole, "it has too many members", True)
    found, directory, start, total, at_entry = {}, zipped[at:at + length], 0, 0, 0
    while at_entry + 46 <= length:
        method, _, crc, packed, size, n = struct.unpack_from("<H4s3LH", directory, at_entry + 10)
        name = directory[at_entry + 46:at_entry + 46 + n]
        fields = struct.pack("<3HL3L2H", 20, 0, method, 0, crc, packed, size, n, 0)
        shown = name.decode(errors="replace")
        check(NAME.fullmatch(name), whole, f"no member of a bundle has the name {shown[:100]!r}", True)
        check(shown not in found, shown, "the zip file has it twice", True)
        entry = b"PK\1\2\x14\0" + fields + struct.pack("<3HLL", 0, 0, 0, 0, start) + name
        head = b"PK\3\4" + fields + name
        check(directory.startswith(entry, at_entry) and zipped[start:start + len(head)] == head and
              (method == 8 or method == 0 and packed == size), shown, "its headers are not those of a bundle", True)
        most = BYTES if re.match("claim|graphs|bodies", shown) else SMALL
        check(size <= {"index.html": PAGE, "manifest": MANIFEST}.get(shown, most), shown, "it is too large", True)
        found[shown] = start + len(head), method, crc, packed, size
        at_entry, start = at_entry + len(entry), start + len(head) + packed
        total += size * (shown != "index.html")
    check(len(found) == count and at_entry == length and start == at, whole, "it has bytes outside its members", True)
    check(total <= BYTES, whole, "it is too large", True)
    for n in ("manifest", "index.html", "claim.json", "checkpoint", "keys"): check(n in found, n, "it is missing")
    checked()
    return found
def extract(zipped, name, place):
    start, method, crc, packed, size = place
    data, ended = zipped[start:start + packed], True
    if method == 8:
        inflate = zlib.decompressobj(-15)
        try: data = inflate.decompress(data, size + 1)
        except zlib.error: data = b""
        ended = inflate.eof and not inflate.unused_data and not inflate.unconsumed_tail
    fits = ended and len(data) == size and zlib.crc32(data) == crc
    return data if check(fits, name, "it was changed, and can't be read") else None
def parse_keys(data):  # the log's keys, each after the first with the note with which the former one named it
    lines = data.decode().split("\n")
    check(len(lines) % 8 == 2 and not lines[-1], "keys", "it is not a list of keys and notes", True)
    return [(lines[0], "")] + [(lines[i], "\n".join(lines[i + 1:i + 8]) + "\n") for i in range(1, len(lines) - 1, 8)]
def follow(chain):  # returns the last key, if each key was named by the one before
    for (former, _), (key, note) in zip(chain, chain[1:]):
        opened = signed_once(note.encode()) and open_note(note.encode(), former)
        fits = opened and opened[0].split("\n")[:3] == ["segraph key rotation", key, former.split("+")[0]]
        fits = fits and key != former and parse_key(key)[0] == former.split("+")[0]
        check(fits, "keys", f"the key {key} was not named by the one before", True)
    return chain[-1][0]

def read(path, key):  # returns the log's key and the bundle's members
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as zipped:
        found = places(zipped)
        members = {name: extract(zipped, name, found[name]) for name in ("keys", "manifest")}
        checked()
        chain = parse_keys(members["keys"])
        begin = next((i for i, (k, _) in enumerate(chain) if k == key), None)
        check(begin is not None, "keys", f"it does not have the key {key}", True)
        key = follow(chain[begin:])
        note = signed_once(members["manifest"]) and open_note(members["manifest"], key)
        check(note, "manifest", f"the key {key} has not signed it as it is", True)
        first, origin, *lines = note[0][:-1].split("\n")
        check([first, origin] == ["segraph evidence bundle 1", key.split("+")[0]], "manifest", "of another log", True)
        listed = {name: (digest, size) for digest, size, name in (line.split(" ", 2) for line in lines)}
        check(len(listed) == len(lines) and "manifest" not in listed, "manifest", "it has a name twice", True)
        for name in sorted(listed.keys() - found.keys()): check(False, name, "it is missing")
        for name in sorted(found.keys() - {"manifest"}):
            if not check(name in listed, name, "it was added"): continue
            if not check(listed[name][1] == str(found[name][4]), name, "it was changed"): continue
            members[name] = data = extract(zipped, name, found[name])
            if data is not None: check(listed[name][0] == sha(data).hex(), name, "it was changed")
    follow(chain)
    checked()
    return key, members
def when(text):  # RFC 3339, with up to nine digits of a second; to compare, they stay apart
    form = r"(?a)(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{,8}[1-9])?(Z|(?![+-]00:00)[+-]\d\d:\d\d)"
    day, clock, digits, zone = re.fullmatch(form, text).groups()
    at = datetime.datetime.fromisoformat(f"{day}T{clock}{zone.replace('Z', '+00:00')}")
    return at, (digits or ".").ljust(10, "0")

def signed(i, e, text, body, salt):  # that a key signed the request that sent an entry, and its body
    key, value, base = text.decode("ascii").split("\n", 2)
    key, value, names = unbase64(key), unbase64(value), re.findall('(?m)^"([^"]*)": ', base)
    lines = dict(line.split(": ", 1) for line in base.split("\n"))
    jwk = b'{"crv":"Ed25519","kty":"OKP","x":"%s"}' % base64.urlsafe_b64encode(key).rstrip(b"=")
    number = base64.urlsafe_b64encode(sha(jwk)).decode().rstrip("=")
    wanted = ("@signature-params", "@path", "content-type", "content-encoding", "content-digest", "list-digest")
    sent, path, kind, coding, digest, listed = (lines.get(f'"{n}"', "") for n in wanted)
    paths = {"insert": "/ttl", "resolve": "/shared-context/resolve"}
    if listed: paths = dict.fromkeys(paths, "/batch")
    check(e["action"] in paths and e.get("signer") == number and
          e.get("signature_sha256") == text64(sha(base.encode(), value)),
          f"signatures/{i}", "it is not the one that its entry commits to")
    want = ["@method", "@authority", "@path", "@query", "content-type", "@signature-params"]
    want += ["list-digest" if listed else "content-digest"] + ["content-encoding"] * bool(coding)
    covered = "(" + " ".join(f'"{n}"' for n in names[:-1]) + ");"
    check(sorted(names) == sorted(want) and len(names) == base.count("\n") + 1 and sent.startswith(covered) and
          f';keyid="{number}"' in sent and ';tag="segraph"' in sent and lines['"@method"'] == "POST" and
          path.endswith(paths.get(e["action"], "\n")) and ed25519(key, base.encode(), value),
          f"signatures/{i}", "the key has not signed that this be sent")
    if body is None: return text, i if listed else None
    if not listed: return signed_body(i, e, body, body, salt, kind, coding, digest) or text
    signed, _, rest = body.partition(b"\n\n")
    own = re.fullmatch(rb"(?s)(0|[1-9]\d{,3}) ([A-Za-z0-9+/]{22}) (.+)", rest)  # the line of a signed list
    if not check(own, f"bodies/{i}", "it is not a list and one of its lines"): return text, i
    at, line, hashed = int(own[1]), own[3], text64(sha(unbase64(own[2].decode() + "=="), own[3]))[:-1].encode()
    check(signed.split(b"\n")[at:at + 1] == [hashed], f"bodies/{i}", f"the list does not have its line {at}")
    return signed_body(i, e, signed + b"\n", line, salt, "line", "", listed) or (text, at)
def signed_body(i, e, signed, body, salt, kind, coding, digest):
    committed = e["action"] == "insert" and not e.get("part") and "sha256" in e
    check(not committed or len(salt) == 16, f"bodies/{i}", f"the claim lacks the salt to compare it with entry {i}")
    sums, fit = re.split("[ \t]*,[ \t]*", digest), lambda n: text64(hashlib.new("sha" + n, signed).digest())
    check(len(set(sums)) == len(sums) and set(sums) <= {f"sha-{n}=:{fit(n)}:" for n in ("256", "512")},
          f"bodies/{i}", "it is not the body that was signed")
    if coding not in ("", "gzip"): return
    try:
        if coding: body = gzip.open(io.BytesIO(body)).read(BYTES)  # it may have several members
        is_json = kind.split(";")[0].strip().lower() in ("application/json", "line")
        if is_json and not check(not crowded(body, 4_000_000), f"bodies/{i}", "it has more than 4 M values"): return
        sent = json.loads(body.decode()) if is_json else {}
        document = body if not is_json or kind == "line" and sent.get("graph") else sent.get("ttl_content", "").encode()
        seen, robot = sent.get("event_kind", "").strip(), (sent.get("robot_uri") or sent.get("robot") or "").strip()
    except (ValueError, AttributeError, RecursionError, EOFError, OSError, zlib.error): return
    is_said = (seen.lower(), robot) == (e.get("kind", seen.lower()), e.get("robot", ""))
    check(e["action"] != "resolve" or not seen.isascii() or is_said, f"bodies/{i}", f"it is not what entry {i} says")
    check(not committed or e["sha256"] == text64(sha(salt, document)).rstrip("="),
          f"bodies/{i}", "its document is not the one that its entry commits to")

def read_claim(members, key):  # returns the claim, and the size and the root of the log's tree
    claim = parse(members["claim.json"], "claim.json", KNOWN)
    text = json.dumps(claim, indent=1, ensure_ascii=False)
    text = re.sub("[<>&\u2028\u2029]", lambda c: f"\\u{ord(c[0]):04x}", text)  # as Go writes it
    texts = [claim[n] for n in ("origin", "made", "by")] + [claim["about"].get(n, "") for n in KNOWN[-1][1:7]]
    check(claim["format"] == 1 and text.encode() == members["claim.json"] and when(claim["made"]) and
          all(isinstance(text, str) for text in texts), "claim.json", "it is not written as segraph does", True)
    check(note := open_note(members["checkpoint"], key), "checkpoint", f"the key {key} has not signed it", True)
    origin, size, root = [f(x) for f, x in zip((str, int, unbase64), note[0].split("\n"))]
    check(origin == claim["origin"] == key.split("+")[0] and str(size) == note[0].split("\n")[1],
          "checkpoint", "it is of another log")
    return claim, size, root
def read_entries(members, claim, size, root):  # returns the entries by index, if the tree has them
    entries, names, last = {}, set(), -1
    for i in (item["index"] for item in claim["entries"]):
        stored, proof = members.get(f"entries/{i}"), members.get(f"proofs/{i}", b"")
        names |= {f"entries/{i}", f"proofs/{i}", f"graphs/{i}.nq", f"signatures/{i}", f"bodies/{i}"}
        if not check(stored, f"entries/{i}", "it is missing"): continue
        check(i > last, "claim.json", "its entries are not in order")
        entries[i], last, (head, _, at) = parse(stored[32:], f"entries/{i}"), i, proof.partition(b"\n\n")
        lines = head.decode().split("\n")
        check(lines[:2] == ["c2sp.org/tlog-proof@v1", f"index {i}"] and at == members["checkpoint"] and
              tree_has(i, size, stored, [unbase64(h) for h in lines[2:]], root),
              f"proofs/{i}", f"the tree does not have entry {i}")
    for name in members: check("/" not in name or name in names, name, "the claim does not name it")
    checked()
    for item in claim["entries"]: open_groups(item["index"], entries[item["index"]], item.get("open", {}))
    return entries
def open_groups(i, entry, shown):  # adds the values that the claim shows, if the entry commits to them
    for name in sum(GROUPS.values(), []):
        if name != "key" or entry["action"] in ("add key", "remove key"): entry.pop(name, None)
    for group, of in shown.items():
        salt, values = unbase64(of["salt"]), of["values"]
        digest = sha(salt, *(v.encode() + b"\n" for v in values))
        clean = len(values) == len(GROUPS[group]) and not re.search("[\0-\x1f\x7f-\x9f]", "".join(values))
        check(len(salt) == 16 and clean and text64(digest).rstrip("=") == entry.get(group),
              "claim.json", f"entry {i} has another {group}")
        entry.update((name, value) for name, value in zip(GROUPS[group], values) if value)
def contents(members, claim, entries):  # returns the lines of graphs by index, and the log with each signature
    said, sent = {}, {}
    for item in claim["entries"]:
        i, e, by = item["index"], entries[item["index"]], entries.get(item.get("removed_by"), {})
        graph, text, body = (members.get(n) for n in (f"graphs/{i}.nq", f"signatures/{i}", f"bodies/{i}"))
        salt = unbase64(item.get("salt", ""))
        if check(text or body is None, f"bodies/{i}", "it has no signature") and text:
            part = signed(i, e, text, body, salt)
            check(sent.setdefault(part, e["log_id"]) == e["log_id"], f"signatures/{i}", "one request was stored twice")
        check({graph, body} != {None} if salt else graph is None, f"graphs/{i}.nq", "it and its salt are not both here")
        if graph is not None:
            said[i] = set(graph.decode().split("\n")[:-1])
            fits = (e["action"], len(salt), text64(sha(salt, graph)).rstrip("=")) == ("insert", 16, e.get("graph"))
            check(fits, f"graphs/{i}.nq", f"it is not what entry {i} commits to")
        ranges = (r.partition("-") for r in by.get("lessened", "").split(",") if r and len(by["lessened"]) <= 20_042)
        removed = (by.get("action") == "clear" or by.get("action") == "withdraw" and by.get("withdrawn") == e["log_id"]
                   or any(int(first) <= i <= int(last or first) for first, _, last in ranges))
        check("removed_by" not in item or graph is None and item["removed_by"] > i and removed,
              "claim.json", f"entry {i} was not removed as it says")
    return said, sent
def check_about(claim, entries, said, size):  # what the claim is about; returns words for the answer
    about, triples, words = claim["about"], claim.get("triples", []), []
    missing = set(about.get("logs", [])) - {e["log_id"] for e in entries.values()}
    check(not missing, "claim.json", "the bundle has no entry of the log " + " ".join(missing))
    check(sum(n in about for n in ("logs", "iri", "query", "case", "from")) == 1 and
          ("to" in about) == ("from" in about) >= bool(about.keys() & {"user", "first", "count"}) and
          ("case" not in about or any(e.get("case") == about["case"] for e in entries.values())),
          "claim.json", "it is not about one thing, or no entry is about its case")
    for i, text, iri in ((t.get("log"), t["triple"], f"<{about.get('iri')}>") for t in triples):
        check(i is None or entries.get(i, {}).get("action") == "insert" and
              (i not in said or text in said[i] and text.endswith(" .")),
              "claim.json", f"the log of entry {i} did not say {text}")
        check("iri" not in about or text.startswith(iri + " ") or text.endswith(f" {iri} ."),
              "claim.json", f"{text} is not about {iri}")
    if triples: words = [f"{sum(t.get('log') in said for t in triples)} of {len(triples)} triples are proved"]
    if "from" in about:
        first, end = about.get("first", 0), about.get("first", 0) + about.get("count", 0)
        begin, until, last = when(about["from"]), when(about["to"]), about["to"]
        between = {i: e for i, e in entries.items() if begin <= when(e["time"]) < until}
        check(begin < until and 0 <= first <= end <= size > 0 and all(i in entries for i in range(first, end)) and
              (not first or when(entries[first - 1]["time"]) < begin) and all(first <= i < end for i in between) and
              (end == size or when(entries[end]["time"]) >= until), "claim.json", "it lacks entries of that time", True)
        if end == size: last = min(last, entries[size - 1]["time"], key=when)  # later ones may be missing
        later = sum(when(e["time"]) > when(last) for e in between.values())  # a clock was set back
        words.append(f"all {len(between) - later} entries from {about['from']} to {last} are here")
        if when(last) < until: words[-1] += f", where the log ends: nothing is proved from there to {about['to']}"
        if when(last) < begin: words = [f"the log ends at {last}: nothing is proved of that time"]
        words += [f"{later} entries of that time are here"] * (later > 0)
        unknown = [str(i) for i, e in between.items() if e["action"] in ("insert", "resolve") and "actor" not in e]
        if unknown: words.append(f"who sent the entries {', '.join(unknown)} is not shown, so they may be anybody's")
    return words

def verify(path, key, witnesses=()):
    key, members = read(path, key)
    claim, size, root = read_claim(members, key)
    words = []
    for w in witnesses:
        note = open_note(members["checkpoint"], w, 4)
        if check(note, "checkpoint", f"the witness {w} has not cosigned it"):
            at = datetime.datetime.fromtimestamp(note[1], datetime.timezone.utc)
            words.append(f"cosigned by {w.split('+')[0]} at {at}")
    entries = read_entries(members, claim, size, root)
    said, sent = contents(members, claim, entries)
    words += [f"{len(sent)} have a key's valid signature"] * bool(sent) + check_about(claim, entries, said, size)
    holds = f"{claim['origin']} has all {len(entries)} entries of the bundle, {len(said)} with what was said"
    return "; ".join([holds] + words)

LIMITS = """Not proved: that a robot told the truth; who sent unsigned entries; whose a key is; exact times; that nobody
was shown another log, unless a witness you trust cosigned; what the log has outside this bundle. Not checked:
index.html's words; whether graphs/ says what was signed."""

def run(path, key, *witnesses):  # returns the failures, or what holds
    holds = FAILURES.clear()
    try: holds = f"It holds: {verify(path, key, witnesses)}."
    except Exception as e: isinstance(e, Stop) or FAILURES.append(f"it can't be verified: {e}")
    return ["".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in t) for t in FAILURES or [holds, LIMITS]]

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1].count("+") < 2:
        sys.exit("usage: verify_bundle.py KEY BUNDLE [WITNESS...]; KEY is a text, NAME+NUMBER+AZ..., and no file")
    text = "\n".join(run(sys.argv[2], sys.argv[1], *sys.argv[3:]))
    sys.exit("It does not hold:\n" + text if FAILURES else print(text))
