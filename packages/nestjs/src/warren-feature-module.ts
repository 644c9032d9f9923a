import type { DynamicModule } from '@nestjs/common'
import type { TopologyDeclaration } from 'warrenmq'
import { featureToken } from './warren-module-options.ts'

/** Holds one part of the topology where the connection finds it. Nest makes one module of each different part. */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's modules are classes.
export class WarrenFeatureModule {
  static register(topology: TopologyDeclaration<string>): DynamicModule {
    return {
      module: WarrenFeatureModule,
      providers: [{ provide: featureToken, useValue: topology }],
    }
  }
}
