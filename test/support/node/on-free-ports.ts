/**
 * Starts what listens on ports that it is given. Between the moment a port is found free and the moment a broker
 * listens on it another process may take it; then it is started once more, on others.
 */
export async function onFreePorts<Started>(start: () => Promise<Started>): Promise<Started> {
  try {
    return await start()
  } catch (error) {
    if (!isPortTaken(error)) throw error
    return start()
  }
}

/** As Erlang, RabbitMQ of its distribution port, Node and Docker say it. */
function isPortTaken(error: unknown): boolean {
  return error instanceof Error && /eaddrinuse|\bin use\b|port is already allocated/i.test(error.message)
}
