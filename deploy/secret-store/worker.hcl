# What a worker may do in the secret store: read the version of a credential that a run names.
path "weir/data/src/+/+" {
  capabilities = ["read"]
}
