export interface Order {
  readonly id: number
  readonly cents: number
}
