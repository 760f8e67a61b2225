package io.jobscheduler.api.access;

import java.util.List;

/** Who sent a token, as far as the token itself proves it; what that opens, the database says. */
sealed interface Caller {

  /** Under which name its requests are counted. */
  String rateKey();

  /** Somebody who logged in here. */
  record Login(long user, long session) implements Caller {
    @Override
    public String rateKey() {
      return "user " + user;
    }
  }

  /**
   * Somebody whom another issuer vouches for.
   *
   * @param roles what the token's claims give, by the configured mapping
   */
  record External(String issuer, String subject, String email, String name, List<MappedRole> roles)
      implements Caller {
    @Override
    public String rateKey() {
      return "external " + issuer + " " + subject;
    }
  }

  /**
   * Who holds an API key.
   *
   * @param hash of the key, in hexadecimal digits
   */
  record Key(String hash) implements Caller {
    @Override
    public String rateKey() {
      return "key " + hash;
    }
  }
}
