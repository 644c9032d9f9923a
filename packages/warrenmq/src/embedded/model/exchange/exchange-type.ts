export type ExchangeType = 'direct' | 'fanout' | 'topic' | 'headers' | 'x-local-random' | 'x-modulus-hash'
