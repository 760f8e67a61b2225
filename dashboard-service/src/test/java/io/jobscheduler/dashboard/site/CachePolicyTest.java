package io.jobscheduler.dashboard.site;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CachePolicyTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/assets/index-BvaM1DsD.js",
        "/assets/inter-latin-wght-normal-Dx4kXJAl.woff2",
        "/assets/index-BPw_g-jr.css"
      })
  void keepsHashedFilesForEver(String path) {
    assertEquals(CachePolicy.FOREVER, CachePolicy.of(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/index.html",
        "/p/default",
        "/theme.js",
        "/favicon.svg",
        "/assets/readme.txt",
        "/assets/index.js",
        "/p/assets/index-BvaM1DsD.js"
      })
  void asksForTheRestEachTime(String path) {
    assertEquals(CachePolicy.REVALIDATE, CachePolicy.of(path));
  }
}
