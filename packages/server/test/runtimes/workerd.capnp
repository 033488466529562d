using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "platform", worker = .platform),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "platform")],
);

const platform :Workerd.Worker = (
  modules = [
    (name = "workerd.mjs", esModule = embed "workerd.mjs"),
    (name = "platform.mjs", esModule = embed "platform.mjs"),
    (name = "@recordhub/platform-kit", esModule = embed "node_modules/@recordhub/platform-kit/dist/index.js"),
  ],
  compatibilityDate = "2026-11-01",
);
