package io.jobscheduler.api.database;

import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementExceptions;
import org.jdbi.v3.core.statement.TemplateEngine;

/** The one mapper that every store uses. */
public final class JdbiProducer {
  private JdbiProducer() {}

  @Produces
  @ApplicationScoped
  static Jdbi jdbi(AgroalDataSource dataSource) {
    return over(dataSource);
  }

  /** A mapper over any source of connections; takes one per handle. */
  public static Jdbi over(DataSource dataSource) {
    Jdbi jdbi = Jdbi.create(dataSource);
    // SQL is constant text: '<' is less-than, never a template.
    jdbi.configure(SqlStatements.class, c -> c.setTemplateEngine(TemplateEngine.NOP));
    // A failure must not carry arguments into a log: payloads and hashes are among them.
    jdbi.configure(
        StatementExceptions.class,
        c -> c.setMessageRendering(StatementExceptions.MessageRendering.NONE));
    jdbi.registerArrayType(String.class, "text");
    jdbi.registerArrayType(Long.class, "bigint");
    jdbi.registerArrayType(Integer.class, "int");
    jdbi.registerArrayType(Double.class, "float8");
    jdbi.registerArrayType(Boolean.class, "boolean");
    return jdbi;
  }
}
