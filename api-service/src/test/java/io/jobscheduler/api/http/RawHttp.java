package io.jobscheduler.api.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Sends requests as they are, valid or not, over one connection at a time: clients of libraries
 * correct, or refuse to send, what a test must be able to say. Not thread-safe.
 */
final class RawHttp implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  /** An answer; names of headers in lower case. */
  record Answer(int status, List<String[]> headers, String body) {
    String header(String name) {
      return headers.stream().filter(h -> h[0].equals(name)).map(h -> h[1]).findFirst().orElse("");
    }
  }

  private final URI base;
  private Socket socket;
  private InputStream in;

  RawHttp(URI base) {
    this.base = base;
  }

  /** The answer to a head (request line and headers, each with its end) and a body. */
  Answer send(String head, byte[] body) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(head.getBytes(StandardCharsets.UTF_8));
    request.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(body);
    boolean kept = socket != null;
    try {
      return exchange(request.toByteArray(), head.startsWith("HEAD "));
    } catch (IOException e) {
      close();
      if (!kept) {
        throw e;
      }
      // The server may have closed it after the last answer.
      return exchange(request.toByteArray(), head.startsWith("HEAD "));
    }
  }

  private Answer exchange(byte[] request, boolean headOnly) throws IOException {
    if (socket == null) {
      socket = new Socket(base.getHost(), base.getPort());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(PATIENCE_MILLIS);
      in = new BufferedInputStream(socket.getInputStream());
    }
    try {
      socket.getOutputStream().write(request);
    } catch (IOException e) {
      // It answered before it had read all; the answer may be there.
    }
    Answer answer = read(headOnly);
    if (answer.header("connection").equalsIgnoreCase("close") || answer.status() == 431) {
      close();
    }
    return answer;
  }

  private Answer read(boolean headOnly) throws IOException {
    String line = line();
    int status = Integer.parseInt(line.split(" ", 3)[1]);
    List<String[]> headers = new ArrayList<>();
    while (!(line = line()).isEmpty()) {
      String[] parts = line.split(":", 2);
      headers.add(new String[] {parts[0].toLowerCase(Locale.ROOT), parts[1].strip()});
    }
    Answer head = new Answer(status, headers, "");
    if (status == 100) {
      return read(headOnly);
    }
    if (headOnly || status == 204 || status == 304) {
      return head;
    }
    byte[] body;
    if (head.header("transfer-encoding").equalsIgnoreCase("chunked")) {
      body = chunks();
    } else if (!head.header("content-length").isEmpty()) {
      body = exactly(Integer.parseInt(head.header("content-length")));
    } else {
      body = in.readAllBytes();
      close();
    }
    return new Answer(status, headers, new String(body, StandardCharsets.UTF_8));
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    int size;
    while ((size = Integer.parseInt(line().strip(), 16)) > 0) {
      body.writeBytes(exactly(size));
      line();
    }
    line();
    return body.toByteArray();
  }

  private byte[] exactly(int bytes) throws IOException {
    byte[] read = in.readNBytes(bytes);
    if (read.length < bytes) {
      throw new EOFException("cut short after " + read.length + " of " + bytes + " bytes");
    }
    return read;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int b;
    while ((b = in.read()) != '\n') {
      if (b < 0) {
        throw new EOFException("closed without an answer");
      }
      line.write(b);
    }
    return line.toString(StandardCharsets.ISO_8859_1).strip();
  }

  @Override
  public void close() throws IOException {
    if (socket != null) {
      socket.close();
      socket = null;
    }
  }
}
