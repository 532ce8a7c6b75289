using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    # Without this, a Worker reaches no address of this machine.
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.mjs")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "Ids", uniqueKey = "ids")],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "ID_SERVICE_URL", fromEnvironment = "ID_SERVICE_URL"),
    (name = "SHOP_TOKEN", fromEnvironment = "SHOP_TOKEN"),
    (name = "IDS", durableObjectNamespace = "Ids"),
  ],
);
