package io.jobscheduler.api.access;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.jdbi.v3.core.Jdbi;

/**
 * Bounds how often a login may fail, per account and per address, whichever replica is asked. A try
 * is taken before the password is looked at, of accounts that do not exist as of those that do, and
 * given back when it was right. Thread-safe.
 */
@ApplicationScoped
class LoginThrottle {
  private static final int IPV6_NETWORK_BYTES = 8;
  private static final double MILLIS = 1_000;

  private final Jdbi jdbi;
  private final LoginConfig config;

  LoginThrottle(Jdbi jdbi, LoginConfig config) {
    this.jdbi = jdbi;
    this.config = config;
  }

  /** A try that was taken. */
  record Try(byte[] address, byte[] account) {}

  private static final String TAKE =
      """
      SELECT jobs.take_login_try(:address, :addressTries, make_interval(secs => :addressEvery),
                                 :account, :accountTries, make_interval(secs => :accountEvery))
      """;

  /**
   * Takes one.
   *
   * @throws ProblemException 429 when there is none
   */
  Try take(String address, String account) {
    Try one =
        new Try(
            hash(network(address)),
            hash(account.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8)));
    double seconds =
        jdbi.withHandle(
            h ->
                h.createQuery(TAKE)
                    .bind("address", one.address())
                    .bind("addressTries", config.addressTries())
                    .bind("addressEvery", seconds(config.addressEvery()))
                    .bind("account", one.account())
                    .bind("accountTries", config.accountTries())
                    .bind("accountEvery", seconds(config.accountEvery()))
                    .mapTo(Double.class)
                    .one());
    if (seconds > 0) {
      throw ProblemException.retryAfter(
          ProblemType.TOO_MANY_REQUESTS,
          "Too many logins have failed. Try again later.",
          Duration.ofMillis((long) Math.ceil(seconds * MILLIS)));
    }
    return one;
  }

  private static final String GIVE_BACK =
      """
      SELECT jobs.give_back_login_try(:address, make_interval(secs => :addressEvery), :account)
      """;

  /** The password was right. */
  void giveBack(Try one) {
    jdbi.useHandle(
        h ->
            h.createQuery(GIVE_BACK)
                .bind("address", one.address())
                .bind("addressEvery", seconds(config.addressEvery()))
                .bind("account", one.account())
                .mapTo(String.class)
                .one());
  }

  // Whoever has one address of IPv6 has 2^64 of them.
  private static byte[] network(String address) {
    byte[] bytes = Network.parse(address);
    if (bytes == null) {
      return address.getBytes(StandardCharsets.UTF_8);
    }
    return bytes.length > IPV6_NETWORK_BYTES ? Arrays.copyOf(bytes, IPV6_NETWORK_BYTES) : bytes;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / MILLIS;
  }

  private static byte[] hash(byte[] text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
