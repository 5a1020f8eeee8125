//! A scripted server in this process, and a client that plays on it.
#![allow(dead_code)] // each test file uses a part of it

mod generated {
    // The generated code looks for it here, by a relative path.
    #[allow(clippy::single_component_path_imports)]
    use arena;
    include!("generated/arena.v1.rs");
}
mod serving;

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use arena::{
    Client, Error, Handle, Players, Settings, Tally,
    v1::{
        Act, BotBody, Decide, Hello, MatchEnd, MatchResult, MatchStart, PlayRequest, PlayResponse,
        RefereeBody, Resign, Welcome, bot_body, referee_body::Body,
    },
};
use generated::match_service_server::{MatchService, MatchServiceServer};
use serving::{acceptor, serve};
use tokio::{
    net::TcpListener,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::timeout,
};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// Long enough for the busiest machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Hands every stream over to the test.
pub struct Server {
    pub address: String,
    calls: UnboundedReceiver<Call>,
}

/// One stream.
pub struct Call {
    pub token: Option<String>,
    incoming: Streaming<PlayRequest>,
    outgoing: UnboundedSender<Result<PlayResponse, Status>>,
}

struct Service(UnboundedSender<Call>);

#[tonic::async_trait]
impl MatchService for Service {
    type PlayStream = Pin<Box<UnboundedReceiverStream<Result<PlayResponse, Status>>>>;

    async fn play(
        &self,
        request: Request<Streaming<PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let token = request.metadata().get("authorization").map(|token| token.to_str().unwrap().to_owned());
        let (outgoing, stream) = unbounded_channel();
        let _ = self.0.send(Call { token, incoming: request.into_inner(), outgoing });
        Ok(Response::new(Box::pin(UnboundedReceiverStream::new(stream))))
    }
}

impl Server {
    pub async fn start() -> Server {
        let (listener, address) = listener().await;
        let (service, calls) = service();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, service.clone()));
            }
        });
        Server { address, calls }
    }

    pub async fn with_tls(certificate: &str, key: &str) -> Server {
        let acceptor = acceptor(certificate, key);
        let (listener, address) = listener().await;
        let (service, calls) = service();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (handshake, service) = (acceptor.accept(connection), service.clone());
                tokio::spawn(async move {
                    if let Ok(connection) = handshake.await {
                        let _ = serve(connection, service).await;
                    }
                });
            }
        });
        Server { address, calls }
    }

    #[cfg(unix)]
    pub async fn on_socket(path: &std::path::Path) -> Server {
        let listener = tokio::net::UnixListener::bind(path).unwrap();
        let (service, calls) = service();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, service.clone()));
            }
        });
        Server { address: format!("unix:{}", path.display()), calls }
    }

    pub fn settings(&self) -> Settings {
        Settings { server: self.address.clone(), token: "token".into(), ..Settings::default() }
    }

    /// The next stream that is opened.
    pub async fn call(&mut self) -> Call {
        timeout(PATIENCE, self.calls.recv()).await.expect("no stream was opened").unwrap()
    }

    /// The next stream, its Hello answered.
    pub async fn greet(&mut self, resumed: &[&str]) -> (Call, Hello) {
        self.welcome(Welcome { resumed: resumed.iter().map(|id| id.to_string()).collect(), ..welcome() })
            .await
    }

    pub async fn welcome(&mut self, welcome: Welcome) -> (Call, Hello) {
        let mut call = self.call().await;
        let bodies = call.hear().await;
        let [bot_body::Body::Hello(hello)] = bodies.as_slice() else { panic!("{bodies:?}") };
        let hello = hello.clone();
        call.say([Body::Welcome(welcome)]);
        (call, hello)
    }
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("localhost:{}", listener.local_addr().unwrap().port());
    (listener, address)
}

fn service() -> (MatchServiceServer<Service>, UnboundedReceiver<Call>) {
    let (sender, calls) = unbounded_channel();
    (MatchServiceServer::new(Service(sender)), calls)
}

impl Call {
    pub fn say(&self, bodies: impl IntoIterator<Item = Body>) {
        let bodies = bodies.into_iter().map(|body| RefereeBody { body: Some(body) }).collect();
        let _ = self.outgoing.send(Ok(PlayResponse { bodies }));
    }

    /// The bodies of the next message.
    pub async fn hear(&mut self) -> Vec<bot_body::Body> {
        let message = timeout(PATIENCE, self.incoming.message()).await.expect("nothing was said");
        let bodies = message.unwrap().expect("the stream ended").bodies;
        bodies.into_iter().filter_map(|BotBody { body }| body).collect()
    }

    /// Whether nothing is said for a while.
    pub async fn silent(&mut self) -> bool {
        timeout(Duration::from_millis(200), self.incoming.message()).await.is_err()
    }

    pub fn end(self, status: Status) {
        let _ = self.outgoing.send(Err(status));
    }
}

/// A client that plays, and what it says to its author.
pub struct Playing {
    pub handle: Handle,
    pub said: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<(Result<(), Error>, Tally)>,
}

pub fn play(players: impl Players, settings: Settings) -> Playing {
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = said.clone();
    let mut client =
        Client::saying(players, settings, move |text| heard.lock().unwrap().push(text.to_owned()));
    let handle = client.handle();
    let task = tokio::spawn(async move { (client.play().await, client.tally()) });
    Playing { handle, said, task }
}

impl Playing {
    pub async fn end(self) -> (Result<(), Error>, Tally) {
        timeout(PATIENCE, self.task).await.expect("the client did not end").unwrap()
    }

    pub fn heard(&self, text: &str) -> bool {
        self.said.lock().unwrap().iter().any(|said| said.contains(text))
    }
}

pub fn welcome() -> Welcome {
    Welcome {
        name: "mybot".into(),
        protocol_version: 1,
        server: "Referee 9".into(),
        session: "session".into(),
        ..Welcome::default()
    }
}

pub fn start(id: &str) -> Body {
    Body::MatchStart(MatchStart {
        match_id: id.into(),
        game: "flip7".into(),
        names: vec!["mybot".into(), "odds".into()],
        view_type: "json".into(),
        ..MatchStart::default()
    })
}

pub fn question(id: &str, decision: u32, legal: &[&str]) -> Decide {
    Decide {
        match_id: id.into(),
        decision,
        legal: legal.iter().map(|text| text.to_string()).collect(),
        complete: true,
        budget_ms: 60_000,
        view: b"{}".to_vec(),
        ..Decide::default()
    }
}

pub fn decide(id: &str, decision: u32, legal: &[&str]) -> Body {
    Body::Decide(question(id, decision, legal))
}

pub fn again(id: &str, decision: u32, legal: &[&str]) -> Body {
    Body::Decide(Decide { again: true, ..question(id, decision, legal) })
}

pub fn end(id: &str) -> Body {
    let result = MatchResult {
        ranks: vec![1, 2],
        scores: vec![10, 5],
        terminations: vec![1, 1],
        texts: vec![String::new(), String::new()],
        reason: "finished".into(),
    };
    Body::MatchEnd(MatchEnd { match_id: id.into(), result: Some(result), ..MatchEnd::default() })
}

pub fn act(id: &str, decision: u32, text: &str) -> bot_body::Body {
    bot_body::Body::Act(Act { match_id: id.into(), decision, move_text: text.into() })
}

pub fn resign(id: &str, reason: &str) -> bot_body::Body {
    bot_body::Body::Resign(Resign { match_id: id.into(), reason: reason.into() })
}
