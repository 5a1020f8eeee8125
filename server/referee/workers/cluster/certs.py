"""Certificates for a cluster: an authority of its own, and a certificate with key for client, scheduler and workers.

dask asks both sides of every connection for a certificate of this authority and looks at nothing else: what keeps
strangers out is that only its members hold one.
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

from referee.rules.game import WrongUse
from referee.workers.cluster.addresses import CA, ROLES, files_of

DAYS = 365
CA_KEY = "ca-key.pem"


def make_certs(folder: Path, days: int = DAYS) -> list[Path]:
    """Make them in a new or empty folder that only its owner can read; WrongUse if there is something in it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WrongUse(f"{folder} is there already: name a new folder, or remove it first")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)
    ca_key = ec.generate_private_key(ec.SECP256R1())
    name = _name("referee cluster")
    ca = (
        _builder(name, name, ca_key, until)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), critical=False)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .sign(ca_key, hashes.SHA256())
    )
    made = [_write(folder / CA, ca), _write(folder / CA_KEY, ca_key)]
    both = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    for role in ROLES:
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            _builder(_name(f"referee {role}"), name, key, until)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(both, critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()),
                critical=False,
            )
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(f"referee-{role}")]), critical=False)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .sign(ca_key, hashes.SHA256())
        )
        _, certificate_file, key_file = files_of(folder, role)
        made += [_write(certificate_file, certificate), _write(key_file, key)]
    return made


def _name(text: str) -> Any:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _usage(*, signs_certificates: bool) -> Any:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _builder(subject: Any, issuer: Any, key: Any, until: datetime.datetime) -> Any:
    from cryptography import x509

    # Clocks of several machines differ a little.
    since = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(until)
    )


def _write(path: Path, what: Any) -> Path:
    """A certificate, or a private key, in a file that only its owner can read."""
    from cryptography.hazmat.primitives import serialization

    if hasattr(what, "private_bytes"):
        data = what.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    else:
        data = what.public_bytes(serialization.Encoding.PEM)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "wb") as out:
        out.write(data)
    return path
