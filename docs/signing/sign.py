"""Signs a log and sends it: sign.py KEYFILE KEYID URL LOG.ttl (and the token in SEGRAPH_TOKEN)

Needs http-message-signatures from PyPI. If the clock of this machine is wrong, the program signs
again with the time of the answer."""
import base64, email.utils, hashlib, inspect, os, secrets, sys, urllib.error, urllib.request
from http_message_signatures import HTTPMessageSigner, HTTPSignatureKeyResolver, algorithms

class Key(HTTPSignatureKeyResolver):
    def __init__(self, path): self.text = open(path, "rb").read()
    def resolve_private_key(self, key_id): return self.text

class Message:
    method = "POST"
    def __init__(self, url, headers): self.url, self.headers = url, headers

# From version 3 on, the library must be told to keep the Content-Digest of the message.
KEEP = {"use_existing_digest": True} if "use_existing_digest" in inspect.signature(HTTPMessageSigner.sign).parameters else {}

def send(key_file, key_id, url, body, created=None):
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    message = Message(url, {"Content-Type": "text/turtle", "Content-Digest": f"sha-256=:{digest}:"})
    HTTPMessageSigner(signature_algorithm=algorithms.ED25519, key_resolver=Key(key_file)).sign(
        message, key_id=key_id, nonce=secrets.token_urlsafe(16), tag="segraph", created=created,
        covered_component_ids=("@method", "@authority", "@path", "@query", "content-type", "content-digest"), **KEEP)
    headers = {**message.headers, "Authorization": "Bearer " + os.environ.get("SEGRAPH_TOKEN", "")}
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        return urllib.request.urlopen(request).read().decode()
    except urllib.error.HTTPError as refused:
        why = refused.read().decode()
        if refused.code != 401 or created or "clock" not in why: sys.exit(f"{refused.code} {why}")
        now = email.utils.parsedate_to_datetime(refused.headers["Date"])
        return send(key_file, key_id, url, body, created=now)

if __name__ == "__main__":
    if len(sys.argv) != 5: sys.exit("usage: sign.py KEYFILE KEYID URL LOG.ttl")
    print(send(sys.argv[1], sys.argv[2], sys.argv[3], open(sys.argv[4], "rb").read()))
