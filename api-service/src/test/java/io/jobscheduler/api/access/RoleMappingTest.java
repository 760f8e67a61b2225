package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoleMappingTest {
  @Test
  void readsProjectsRolesAndPayloads() {
    RoleMapping mapping =
        new RoleMapping(
            "groups",
            List.of(
                "dev=shop:eu:operator",
                "dev=*:viewer:no-payloads",
                "cn=x=a:admin",
                "root=platform-admin"));
    assertEquals(
        List.of(
            new MappedRole("shop:eu", Role.OPERATOR, true),
            new MappedRole(null, Role.VIEWER, false)),
        mapping.of(Map.of("groups", List.of("dev", "other", 7))));
    assertEquals(
        List.of(new MappedRole("a", Role.ADMIN, true)),
        mapping.of(Map.of("groups", List.of("cn=x"))));
    assertEquals(List.of(new MappedRole(null, null, true)), mapping.of(Map.of("groups", "x root")));
    assertEquals(List.of(), mapping.of(Map.of("groups", Map.of("dev", true))));
    assertEquals(List.of(), mapping.of(Map.of()));
  }

  @Test
  void findsTheClaimByItsPath() {
    RoleMapping mapping = new RoleMapping("realm_access/roles", List.of("r=p:viewer"));
    assertEquals(
        List.of(new MappedRole("p", Role.VIEWER, true)),
        mapping.of(Map.of("realm_access", Map.of("roles", List.of("r")))));
    assertEquals(List.of(), mapping.of(Map.of("realm_access", "r")));
  }

  @Test
  void refusesWhatCannotBeMeant() {
    for (String bad : List.of("x", "=p:viewer", "g=p", "g=p:owner", "g=:viewer", "g=a/b:viewer")) {
      assertThrows(
          IllegalArgumentException.class, () -> new RoleMapping("groups", List.of(bad)), bad);
    }
  }

  @Test
  void keysAreReadOverAnOpenLineFromThisMachineOnly() {
    assertEquals("https://x.org/k", IssuerKeys.secure("https://x.org/k"));
    assertEquals("http://localhost:1/k", IssuerKeys.secure("http://localhost:1/k"));
    assertThrows(
        IllegalArgumentException.class, () -> IssuerKeys.secure("http://issuer.example.org/k"));
    assertThrows(IllegalArgumentException.class, () -> IssuerKeys.secure("file:///k"));
  }
}
