package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MasterKeyTest {
  @TempDir Path folder;

  private Path file;
  private MasterKey key;
  private final byte[] secret = "a secret".getBytes(StandardCharsets.UTF_8);

  @BeforeEach
  void makeKey() throws IOException {
    file = folder.resolve("master.key");
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) 7);
    Files.writeString(file, Base64.getEncoder().encodeToString(bytes) + "\n");
    key = MasterKey.read(file);
  }

  @Test
  void opensWhatItSealed() throws GeneralSecurityException {
    byte[] sealed = key.encrypt(secret, "me");
    assertArrayEquals(secret, key.decrypt(sealed, "me"));
    assertArrayEquals(secret, MasterKey.read(file).decrypt(sealed, "me"));
    assertTrue(!Arrays.equals(sealed, key.encrypt(secret, "me")), "the nonce is fresh");
  }

  @Test
  void opensNothingElse() {
    byte[] sealed = key.encrypt(secret, "me");
    assertThrows(GeneralSecurityException.class, () -> key.decrypt(sealed, "you"));
    sealed[14] ^= 1;
    assertThrows(GeneralSecurityException.class, () -> key.decrypt(sealed, "me"));
    assertThrows(GeneralSecurityException.class, () -> key.decrypt(new byte[3], "me"));
  }

  @Test
  void saysInOneLineWhatIsWrongWithTheFile() throws IOException {
    Path absent = folder.resolve("absent");
    String message =
        assertThrows(IllegalStateException.class, () -> MasterKey.read(absent)).getMessage();
    assertTrue(message.contains("cannot be read"), message);
    assertEquals(1, message.lines().count());
    for (String bad : new String[] {"", "not base64!", "c2hvcnQ="}) {
      Files.writeString(file, bad);
      assertThrows(IllegalStateException.class, () -> MasterKey.read(file), bad);
    }
  }
}
