/** How a node is run, by whatever means: a process of a package, or a container. */
export interface NodeRunner {
  /** Starts the broker. Settles once it is launched, not when it is ready. */
  launch(): Promise<void>
  /** Sends a signal to the broker with everything that belongs to it. */
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Settles when the broker that was launched last has ended. */
  ended(): Promise<void>
  isRunning(): boolean
  /** Runs one of the broker's command-line tools on the node. */
  runTool(
    tool: 'rabbitmqctl' | 'rabbitmq-queues' | 'rabbitmq-plugins',
    args: readonly string[],
  ): Promise<string>
  /** What the broker wrote, shortened, for error messages. */
  lastOutput(): Promise<string>
  /** Kills what runs and removes every file. */
  remove(): Promise<void>
}

/** Where a node listens. `host` names what clients on this machine connect to. */
export interface NodePorts {
  readonly amqp: number
  readonly management: number
  readonly distribution: number
  readonly epmd: number
  readonly amqps: number
}
