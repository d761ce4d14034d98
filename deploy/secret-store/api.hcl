# What the API may do in the secret store: write a new version of a credential and read versions of it. Nobody of ours
# deletes. The two segments are a tenant and a credential; "weir" is the mount (WEIR_SECRET_STORE_MOUNT).
path "weir/data/src/+/+" {
  capabilities = ["create", "update", "read"]
}
