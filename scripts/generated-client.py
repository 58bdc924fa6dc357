"""Imports every module of the generated Python client and makes a real call with it: generated-client.py FOLDER URL KEY_FILE."""

import importlib
import pkgutil
import sys

folder, url, key_file = sys.argv[1:]
sys.path.insert(0, folder)
import countersign_client  # noqa: E402

modules = [module.name for module in pkgutil.walk_packages(countersign_client.__path__, "countersign_client.")]
for name in modules:
    importlib.import_module(name)

from countersign_client.api.calls import calls_read, calls_submit  # noqa: E402
from countersign_client.models import Envelope, Problem  # noqa: E402

body_type = calls_submit.sync.__annotations__["body"]
with open(key_file, encoding="utf-8") as file:
    key = file.read().strip()
client = countersign_client.AuthenticatedClient(base_url=url, token=key)
body = body_type.from_dict({"tool": "write_file", "inputs": {"path": "python.txt", "content": "hello", "mode": "overwrite"}})
made = calls_submit.sync(client=client, body=body)
assert isinstance(made, Envelope), made
assert made.status == "succeeded", made
read = calls_read.sync(client=client, call_id=made.call_id)
assert isinstance(read, Envelope) and read.call_id == made.call_id, read
missing = calls_read.sync(client=client, call_id="nothing")
assert isinstance(missing, Problem), missing
print(f"generated client: {len(modules)} modules, one call: {made.status}")
