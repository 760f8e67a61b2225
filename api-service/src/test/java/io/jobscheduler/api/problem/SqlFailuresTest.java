package io.jobscheduler.api.problem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlFailuresTest {
  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "", "08006", "53300", "57P03", "58030", "40001", "28P01", "3D000", "42P01", "3F000",
        "55P03", "55000"
      })
  void databaseIsAway(String state) {
    assertTrue(SqlFailures.isAway(new SQLException("away", state)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"23505", "22P02", "42601", "55006", "XX000", "P0001", "08"})
  void requestOrProgramIsWrong(String state) {
    assertFalse(SqlFailures.isAway(new SQLException("wrong", state)));
  }

  @Test
  void innermostFailureIsFound() {
    Exception wrapped = new IllegalStateException(new SQLException("taken", SqlFailures.UNIQUE));
    assertEquals(SqlFailures.UNIQUE, SqlFailures.stateOf(wrapped));
    assertEquals("", SqlFailures.stateOf(new IllegalStateException("no SQL")));
  }
}
