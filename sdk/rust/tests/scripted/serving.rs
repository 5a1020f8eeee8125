//! gRPC calls over HTTP/2, served with the crates that the SDK itself uses: tonic's own server would have tonic and all
//! that it rests on compiled a second time for the tests.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use http_body::Frame;
use http_body_util::BodyExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};
use tonic::codegen::{Body, Bytes, Service, http};

use super::{Service as Referee, generated::match_service_server::MatchServiceServer};

type Served = MatchServiceServer<Referee>;

/// Answers the calls of one connection until it ends.
pub async fn serve(
    connection: impl AsyncRead + AsyncWrite + Unpin,
    service: Served,
) -> Result<(), h2::Error> {
    let mut connection = h2::server::handshake(connection).await?;
    while let Some(call) = connection.accept().await {
        let (request, respond) = call?;
        tokio::spawn(answer(request, respond, service.clone()));
    }
    Ok(())
}

async fn answer(
    request: http::Request<h2::RecvStream>,
    mut respond: h2::server::SendResponse<Bytes>,
    mut service: Served,
) -> Result<(), h2::Error> {
    let Ok(response) = service.call(request.map(Incoming)).await;
    let (head, mut body) = response.into_parts();
    let mut sending = respond.send_response(http::Response::from_parts(head, ()), false)?;
    while let Some(frame) = body.frame().await {
        match frame.expect("what the script says can be encoded").into_data() {
            Ok(data) => sending.send_data(data, false)?,
            Err(frame) => return sending.send_trailers(frame.into_trailers().unwrap_or_default()),
        }
    }
    sending.send_data(Bytes::new(), true)
}

/// What the client sends in one call.
struct Incoming(h2::RecvStream);

impl Body for Incoming {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let data = ready!(self.0.poll_data(context));
        if let Some(Ok(data)) = &data {
            self.0.flow_control().release_capacity(data.len())?;
        }
        Poll::Ready(data.map(|data| data.map(Frame::data)))
    }
}

/// For connections under TLS, with this certificate (or chain) and key in PEM.
pub fn acceptor(certificate: &str, key: &str) -> TlsAcceptor {
    let chain = CertificateDer::pem_slice_iter(certificate.as_bytes()).map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Arc::new(config).into()
}
