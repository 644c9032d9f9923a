/** Some of the places where RabbitMQ looks accounts up, such as LDAP, take all of these for one. */
export function foldName(account: string): string {
  return account.normalize('NFKC').trim().toLowerCase()
}
