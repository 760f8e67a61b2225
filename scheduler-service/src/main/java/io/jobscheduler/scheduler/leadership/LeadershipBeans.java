package io.jobscheduler.scheduler.leadership;

import io.jobscheduler.scheduler.database.DirectConnections;
import io.jobscheduler.scheduler.loop.Loops;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import javax.sql.DataSource;

/** Makes this process' {@link Leadership} and its transactions. */
@Singleton
class LeadershipBeans {

  @Produces
  @Singleton
  Leadership leadership(DirectConnections connections, LeadershipConfig config, Loops loops) {
    return new Leadership(connections, config, loops, holder(), System::nanoTime);
  }

  @Produces
  @Singleton
  LeaderTransactions transactions(DataSource dataSource, LeadershipConfig config) {
    return new LeaderTransactions(dataSource, config, System::nanoTime);
  }

  private static String holder() {
    try {
      return InetAddress.getLocalHost().getHostName() + "/" + ProcessHandle.current().pid();
    } catch (UnknownHostException e) {
      return "unknown/" + ProcessHandle.current().pid();
    }
  }
}
