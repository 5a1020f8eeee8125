//! Connecting: TCP or a unix socket, TLS if wanted, HTTP/2 on top of it, and the call of `Play`.

use std::{io, sync::Arc, time::Duration};

use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::mpsc::UnboundedReceiver,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self, CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
        SignatureScheme,
        client::{
            WebPkiServerVerifier,
            danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
            verify_server_name,
        },
        pki_types::{CertificateDer, ServerName, UnixTime},
        server::ParsedCertificate,
    },
};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{
    Request, Streaming,
    metadata::MetadataValue,
    transport::{Channel, Endpoint, Uri},
};

use crate::{
    error::Error,
    meaning::{Trouble, innermost, of_status, of_trouble},
    recording::reason,
    settings::{Address, Settings, certificates},
    v1::{PlayRequest, PlayResponse, match_service_client::MatchServiceClient},
};

const CONNECT: Duration = Duration::from_secs(10);
const LONGEST_MESSAGE: usize = 64 << 20;
const PING_EVERY: Duration = Duration::from_secs(20);
const PING_ANSWER: Duration = Duration::from_secs(10);

trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// Connect and call `Play`.
pub(crate) async fn play(
    place: String,
    settings: Settings,
    requests: UnboundedReceiver<PlayRequest>,
    first: bool,
) -> Result<Streaming<PlayResponse>, Error> {
    let channel = open(&place, &settings).await;
    let channel = channel.map_err(|trouble| of_trouble(trouble, &place, &settings))?;
    let mut request = Request::new(UnboundedReceiverStream::new(requests));
    if !settings.token.is_empty() {
        let token = MetadataValue::try_from(format!("Bearer {}", settings.token));
        let token = token.map_err(|_| {
            Error::Refused("the token has characters that no token has; copy it again".into())
        })?;
        request.metadata_mut().insert("authorization", token);
    }
    let mut stub = MatchServiceClient::new(channel).max_decoding_message_size(LONGEST_MESSAGE);
    match stub.play(request).await {
        Ok(response) => Ok(response.into_inner()),
        Err(status) => Err(of_status(&status, &place, &settings, first)),
    }
}

/// A channel over one connection. When that breaks, so does the channel: the client decides when to connect again.
async fn open(address: &str, settings: &Settings) -> Result<Channel, Trouble> {
    let wire = match timeout(CONNECT, dial(address, settings)).await {
        Ok(wire) => wire?,
        Err(_) => return Err(Trouble::Unreachable("no answer".into())),
    };
    let mut wire = Some(TokioIo::new(wire));
    let once = tower::service_fn(move |_: Uri| {
        let wire = wire.take().ok_or_else(|| io::Error::other("the connection is gone"));
        async move { wire }
    });
    let authority = match Address::read(address) {
        Some(Address::Tcp(..)) => address,
        _ => "localhost",
    };
    let origin = Uri::builder()
        .scheme(if settings.tls { "https" } else { "http" })
        .authority(authority)
        .path_and_query("/")
        .build()
        .map_err(|error| Trouble::Unreachable(error.to_string()))?;
    Endpoint::from_static("http://referee")
        .origin(origin)
        .http2_keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_ANSWER)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(1 << 20)
        .initial_connection_window_size(2 << 20)
        .connect_with_connector(once)
        .await
        .map_err(|error| Trouble::Unreachable(innermost(&error)))
}

async fn dial(address: &str, settings: &Settings) -> Result<Box<dyn Wire>, Trouble> {
    match Address::read(address) {
        Some(Address::Tcp(host, port)) => {
            let stream = TcpStream::connect((host, port)).await.map_err(|error| unreachable(&error))?;
            stream.set_nodelay(true).map_err(|error| unreachable(&error))?;
            if settings.tls { encrypt(stream, host, settings).await } else { Ok(Box::new(stream)) }
        }
        #[cfg(unix)]
        Some(Address::Unix(path)) => {
            let stream = tokio::net::UnixStream::connect(path).await.map_err(|error| unreachable(&error))?;
            if settings.tls { encrypt(stream, "localhost", settings).await } else { Ok(Box::new(stream)) }
        }
        _ => Err(Trouble::Unreachable("this system cannot connect to such an address".into())),
    }
}

fn unreachable(error: &io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => Trouble::NothingListens,
        _ => Trouble::Unreachable(reason(error)),
    }
}

async fn encrypt<S: Wire + 'static>(
    wire: S,
    host: &str,
    settings: &Settings,
) -> Result<Box<dyn Wire>, Trouble> {
    let mut given = Vec::new();
    let mut roots = RootCertStore::empty();
    if let Some(file) = &settings.ca {
        given = certificates(file).map_err(Trouble::Settings)?;
        roots.add_parsable_certificates(given.iter().cloned());
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let usual = WebPkiServerVerifier::builder_with_provider(roots.into(), provider.clone())
        .build()
        .map_err(|_| Trouble::NotTrusted)?; // this system trusts nobody
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Trouble::Unreachable(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Verifier { usual, given }))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name =
        ServerName::try_from(host.to_owned()).map_err(|error| Trouble::Unreachable(error.to_string()))?;
    match TlsConnector::from(Arc::new(config)).connect(name, wire).await {
        Ok(stream) => Ok(Box::new(stream)),
        Err(error) => Err(handshake(&error)),
    }
}

fn handshake(error: &io::Error) -> Trouble {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>());
    match tls {
        Some(TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => Trouble::OtherName,
        Some(TlsError::InvalidCertificate(_)) => Trouble::NotTrusted,
        Some(TlsError::InvalidMessage(_)) => Trouble::NoTls,
        _ => Trouble::Unreachable(reason(error)),
    }
}

/// The usual checks. Beyond them, a server may show the very certificate that `--ca` names, even if that one is marked as an
/// authority, as those are that `openssl req -x509` makes; its name must still be right.
#[derive(Debug)]
struct Verifier {
    usual: Arc<WebPkiServerVerifier>,
    given: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        match self.usual.verify_server_cert(certificate, chain, name, stapled, now) {
            // An expired certificate has been found out before this error could come.
            Err(TlsError::InvalidCertificate(CertificateError::Other(_)))
                if self.given.contains(certificate) =>
            {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.usual.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.usual.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}
