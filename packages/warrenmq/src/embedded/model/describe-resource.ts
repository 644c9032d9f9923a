/** How RabbitMQ writes a thing in its messages: `queue 'orders' in vhost '/'`. */
export function describeResource(resource: {
  readonly kind: 'queue' | 'exchange'
  readonly name: string
  readonly vhost: string
}): string {
  return `${resource.kind} '${resource.name}' in vhost '${resource.vhost}'`
}
