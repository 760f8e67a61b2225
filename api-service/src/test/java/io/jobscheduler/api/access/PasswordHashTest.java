package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PasswordHashTest {
  /** From the reference implementation's own tests (phc-winner-argon2, src/test.c). */
  private static final String REFERENCE =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

  @Test
  void agreesWithTheReferenceImplementation() {
    assertTrue(PasswordHash.matches("password", REFERENCE));
    assertFalse(PasswordHash.matches("passwore", REFERENCE));
  }

  @Test
  void matchesItsOwnPasswordOnly() {
    String stored = PasswordHash.of("pässwörd 😀");
    assertTrue(stored.startsWith("$argon2id$v=19$m=19456,t=2,p=1$"));
    assertTrue(PasswordHash.matches("pässwörd 😀", stored));
    assertFalse(PasswordHash.matches("passwörd 😀", stored));
    assertNotEquals(stored, PasswordHash.of("pässwörd 😀"), "the salt is fresh");
  }

  @Test
  void refusesOtherHashes() {
    assertThrows(IllegalArgumentException.class, () -> PasswordHash.matches("x", "$2a$10$abc"));
    assertThrows(
        IllegalArgumentException.class,
        () -> PasswordHash.matches("x", REFERENCE.replace("argon2id", "argon2i")));
    assertThrows(
        IllegalArgumentException.class,
        () -> PasswordHash.matches("x", REFERENCE.replace("m=65536,", "")));
  }
}
