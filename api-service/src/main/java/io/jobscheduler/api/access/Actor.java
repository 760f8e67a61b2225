package io.jobscheduler.api.access;

/**
 * Who acts: a person or an API key.
 *
 * @param kind which of the two
 * @param id of the user or of the key
 * @param name the user's address, or the key's name
 */
public record Actor(Kind kind, long id, String name) {
  /** What an actor can be. */
  public enum Kind {
    USER,
    KEY
  }

  static Actor user(UserRow user) {
    return new Actor(Kind.USER, user.id(), user.email());
  }

  /** What it is in the audit log. */
  String recordKind() {
    return kind == Kind.KEY ? "api_key" : "user";
  }

  /** As it stands in rows and answers: an address, or {@code key:} and the key's name. */
  public String label() {
    return kind == Kind.KEY ? "key:" + name : name;
  }
}
