import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** The REST catalog of Iceberg's own tests, on loopback: `<folder>`. It prints its port, and ends with its input. */
class RestServer {
  public static void main(String[] args) throws Exception {
    var options = Map.of("uri", "jdbc:sqlite:" + args[0] + "/catalog.db", "warehouse", args[0], "clients", "1",
        "jdbc.schema-version", "V1");
    var catalog = CatalogUtil.loadCatalog(JdbcCatalog.class.getName(), "weir", options, new Configuration());
    var context = new ServletContextHandler();
    context.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
    var server = new Server(new InetSocketAddress("127.0.0.1", 0));
    server.setHandler(context);
    server.start();
    System.out.println(((ServerConnector) server.getConnectors()[0]).getLocalPort());
    while (System.in.read() >= 0) {}
    server.stop();
  }
}
