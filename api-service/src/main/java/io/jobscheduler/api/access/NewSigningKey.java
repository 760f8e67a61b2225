package io.jobscheduler.api.access;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import org.jose4j.jwk.EllipticCurveJsonWebKey;
import org.jose4j.jwk.JsonWebKey;

/**
 * A fresh ES256 key pair (RFC 7518), ready to be stored.
 *
 * @param kid the key's thumbprint (RFC 7638)
 * @param publicJwk the public key as a JWK
 * @param privateKeyEncrypted PKCS #8 under the master key
 */
public record NewSigningKey(String kid, String publicJwk, byte[] privateKeyEncrypted) {
  /** The one algorithm that tokens are signed with. */
  public static final String ALGORITHM = "ES256";

  /** Makes a key pair and encrypts the private half. */
  public static NewSigningKey generate(MasterKey master) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      EllipticCurveJsonWebKey jwk = new EllipticCurveJsonWebKey((ECPublicKey) pair.getPublic());
      String kid = jwk.calculateBase64urlEncodedThumbprint("SHA-256");
      jwk.setKeyId(kid);
      jwk.setAlgorithm(ALGORITHM);
      jwk.setUse("sig");
      return new NewSigningKey(
          kid,
          jwk.toJson(JsonWebKey.OutputControlLevel.PUBLIC_ONLY),
          master.encrypt(pair.getPrivate().getEncoded(), kid));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
