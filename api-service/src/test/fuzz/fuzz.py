"""Makes a project and its admin for one run, then becomes schemathesis: fuzz.py ST DESCRIPTION."""

import json
import os
import secrets
import sys
import urllib.error
import urllib.request

API = os.environ["FUZZ_API"]
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
]
# Failed logins from one address are throttled, and so would be those of the run itself; the others
# could end its membership or its session. FuzzHttpTest sends them.
LEFT_OUT = ["login", "changePassword", "putMember", "deleteMember"]

THINGS = 20


def call(method, path, body, token=None):
    request = urllib.request.Request(
        API + "/api/v1" + path,
        method=method,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    if token is not None:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as e:
        sys.exit(f"fuzz: {method} {path} was answered {e.code}: {e.read().decode(errors='replace')}")
    except OSError as e:
        sys.exit(f"fuzz: no answer from {API}: {e}")


def things(here, user, token):
    """Ids of what the project has, by the name of the parameter; several, since some are deleted."""
    call("PUT", here + "/queues/fuzz", {"maxConcurrency": 0}, token)
    known = {"queue": ["fuzz", "default"], "user": [user], "key": ["a", "b"]}
    job = {"type": "echo", "queue": "fuzz"}
    steps = [dict(job, key="a"), dict(job, key="b", dependsOn=["a"])]
    makes = {
        "job": ("/jobs", job),
        "workflow": ("/workflows", {"name": "fuzz", "jobs": steps}),
        "bulkAction": ("/bulk-actions", {"action": "retry", "filter": {"queue": "fuzz"}}),
    }
    for name, (path, body) in makes.items():
        known[name] = [call("POST", here + path, body, token)["id"] for _ in range(THINGS)]
    known["name"] = [f"fuzz-{i}" for i in range(THINGS)]
    for name in known["name"]:
        schedule = {"name": name, "every": "P1D", "job": job}
        call("POST", here + "/schedules", schedule, token)
    key = {"name": "fuzz", "scopes": ["read"]}
    known["api key"] = [
        call("POST", here + "/api-keys", key, token)["key"]["id"] for _ in range(THINGS)
    ]
    return known


def main():
    st, description = sys.argv[1:]
    project = "fuzz-" + secrets.token_hex(6)
    email, password = project + "@example.org", secrets.token_urlsafe(24)
    login = {
        "email": os.environ.get("FUZZ_EMAIL", "admin@localhost"),
        "password": os.environ.pop("FUZZ_PASSWORD"),
    }
    token = call("POST", "/auth/login", login)["accessToken"]
    call("POST", "/projects", {"name": project}, token)
    user = call("POST", "/users", {"email": email, "password": password}, token)["id"]
    call("PUT", f"/projects/{project}/members/{user}", {"role": "admin"}, token)
    known = things(f"/projects/{project}", user, token)
    here = os.path.dirname(os.path.abspath(__file__))
    os.environ.update(
        FUZZ_PROJECT=project,
        FUZZ_KNOWN=json.dumps(known),
        FUZZ_MEMBER=email,
        FUZZ_MEMBER_PASSWORD=password,
        SCHEMATHESIS_HOOKS=os.path.join(here, "hooks.py"),
        # No __pycache__ beside the sources.
        PYTHONDONTWRITEBYTECODE="1",
    )
    command = [st, "--config-file", os.path.join(here, "schemathesis.toml")]
    command += ["run", description, "--url", API, "--checks", ",".join(CHECKS)]
    command += ["--max-examples", os.environ.get("FUZZ_EXAMPLES") or "100"]
    command += ["--rate-limit", "auto", "--generation-database", "none"]
    # Longer than `Prefer: wait` and a lease may wait.
    command += ["--request-timeout", "70"]
    for operation in LEFT_OUT:
        command += ["--exclude-operation-id", operation]
    if os.environ.get("FUZZ_SEED"):
        command += ["--seed", os.environ["FUZZ_SEED"]]
    print(f"fuzz: {API}, all of it in the project {project}", flush=True)
    os.execv(st, command)


main()
