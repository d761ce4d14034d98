# What "weir ops secret-store check" needs of the token that it is given: to see how the mount is set up and what the tokens
# of the two roles may do, and to revoke those that it fetched. It opens no credential.
path "sys/mounts" {
  capabilities = ["read"]
}
path "weir/config" {
  capabilities = ["read"]
}
path "auth/approle/role/+" {
  capabilities = ["read"]
}
path "sys/capabilities" {
  capabilities = ["update"]
}
path "auth/token/lookup" {
  capabilities = ["update"]
}
path "auth/token/revoke" {
  capabilities = ["update"]
}
