package io.jobscheduler.scheduler.cron;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * The database as a process sees it that is killed: at some moment all its connections end without
 * a word, whatever they are at, and none opens any more.
 */
final class DoomedDataSource implements DataSource {
  private final DataSource real;
  private final Queue<Connection> open = new ConcurrentLinkedQueue<>();
  private volatile boolean dead;
  private volatile boolean dyingAtCommit;

  DoomedDataSource(DataSource real) {
    this.real = real;
  }

  /** Ends everything now. */
  void die() throws SQLException {
    dead = true;
    for (Connection connection : open) {
      connection.abort(Runnable::run);
    }
  }

  /** Ends everything once the next commit has been carried out and before it is answered. */
  void dieAtCommit() {
    dyingAtCommit = true;
  }

  boolean isDead() {
    return dead;
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (dead) {
      throw new SQLException("the process is dead", "08001");
    }
    Connection connection = real.getConnection();
    open.add(connection);
    return (Connection)
        Proxy.newProxyInstance(
            DoomedDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              Object result;
              try {
                result = method.invoke(connection, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (method.getName().equals("close")) {
                open.remove(connection);
              } else if (method.getName().equals("commit") && dyingAtCommit) {
                die();
                throw new SQLException("the reply to the commit is lost", "08006");
              }
              return result;
            });
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return real.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    real.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    real.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return real.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger("doomed");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return real.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return real.isWrapperFor(type);
  }
}
