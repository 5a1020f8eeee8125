package arena;

import arena.v1.MatchServiceGrpc;
import arena.v1.PlayRequest;
import arena.v1.PlayResponse;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/** One connection to a server, and the one stream on it. */
final class Connection implements AutoCloseable {
  private static final int LONGEST_MESSAGE = 64 << 20;
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final Pattern ADDRESS =
      Pattern.compile("(\\[[^\\]\\[/\\s]+\\]|[^\\]\\[:/\\s]+):[0-9]{1,5}");

  /** One thread reads and writes for all connections; bots think on threads of their own. */
  private static final EventLoopGroup NETWORK =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("arena-network", true), NioIoHandler.newFactory());

  /** gRPC's own lines about every failed attempt would bury the one that says what to do. */
  private static final Logger LIBRARY = Logger.getLogger("io.grpc");

  static {
    if (LIBRARY.getLevel() == null) {
      LIBRARY.setLevel(Level.OFF);
    }
  }

  private final ManagedChannel channel;
  private final MatchServiceGrpc.MatchServiceStub stub;

  /** Whether it is HOST:PORT, an IPv6 address in brackets, or unix:PATH. */
  static boolean isAddress(String server) {
    var port = server.substring(server.lastIndexOf(':') + 1);
    return server.startsWith("unix:")
        ? server.length() > "unix:".length()
        : ADDRESS.matcher(server).matches()
            && Integer.parseInt(port) > 0
            && Integer.parseInt(port) < 65536;
  }

  static String noAddress(String server) {
    return "--server: '" + server + "' is not an address: write HOST:PORT or unix:PATH";
  }

  Connection(String server, Settings settings) throws ArenaException {
    if (!isAddress(server)) { // gRPC would wait for ever
      throw new ArenaException(ArenaException.REFUSED, noAddress(server));
    }
    var credentials = credentials(settings);
    var builder =
        server.startsWith("unix:")
            ? NettyChannelBuilder.forAddress(
                    UnixDomainSocketAddress.of(server.substring("unix:".length())), credentials)
                .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                .overrideAuthority("localhost")
            : NettyChannelBuilder.forTarget(server, credentials)
                .channelType(NioSocketChannel.class);
    channel =
        builder
            .eventLoopGroup(NETWORK)
            .directExecutor() // what a message brings is only sorted there, see Conversation
            .keepAliveTime(20, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS)
            .maxInboundMessageSize(LONGEST_MESSAGE)
            .disableRetry()
            .build();
    var headers = new Metadata();
    if (!settings.token().isEmpty()) {
      headers.put(AUTHORIZATION, "Bearer " + settings.token());
    }
    stub =
        MatchServiceGrpc.newStub(channel)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** Opens the stream; what the referee says goes to {@code responses}. */
  StreamObserver<PlayRequest> open(StreamObserver<PlayResponse> responses) {
    return stub.play(responses);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    try {
      channel.awaitTermination(1, TimeUnit.SECONDS); // so that the last words are on their way
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ChannelCredentials credentials(Settings settings) throws ArenaException {
    if (!settings.tls()) {
      return InsecureChannelCredentials.create();
    }
    if (settings.ca() == null) {
      return TlsChannelCredentials.create();
    }
    try {
      return TlsChannelCredentials.newBuilder().trustManager(settings.ca().toFile()).build();
    } catch (IOException error) {
      throw new ArenaException(
          ArenaException.REFUSED, "--ca: " + settings.ca() + " cannot be read");
    }
  }
}
