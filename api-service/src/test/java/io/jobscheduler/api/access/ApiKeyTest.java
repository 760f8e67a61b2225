package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ApiKeyTest {
  @Test
  void isRecognisedByItsPrefixAndWhole() {
    String key = ApiKey.make();
    assertTrue(key.matches("jsk_[0-9A-Za-z]{49}"), key);
    assertTrue(ApiKey.isWhole(key));
    assertNotEquals(key, ApiKey.make());
    assertEquals(key.substring(0, 8), ApiKey.hint(key));
    assertEquals(32, ApiKey.hash(key).length);
  }

  @Test
  void oneWrongCharacterIsNoticedWithoutTheDatabase() {
    String key = ApiKey.make();
    for (int i = ApiKey.PREFIX.length(); i < key.length(); i++) {
      char other = key.charAt(i) == 'a' ? 'b' : 'a';
      assertFalse(ApiKey.isWhole(key.substring(0, i) + other + key.substring(i + 1)), "at " + i);
    }
    assertFalse(ApiKey.isWhole(key.substring(1)));
    assertFalse(ApiKey.isWhole(key + "a"));
    assertFalse(ApiKey.isWhole("jsk_"));
  }
}
