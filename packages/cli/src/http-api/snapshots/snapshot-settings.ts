/** How much a server keeps of what looks have written down, and for how long. */
export interface SnapshotSettings {
  /** Where the files are. They have no name there for longer than it takes to open them. */
  readonly folder: string
  readonly mostSnapshots: number
  /** Of all files together. */
  readonly mostBytes: number
  /** Of all indexes together; one message takes about 55 bytes, its id, and 1 or 2 for each counted header. */
  readonly mostMemoryBytes: number
  readonly ageMs: number
  /** How long a look may take, with the wait for its turn. */
  readonly timeoutMs: number
}
