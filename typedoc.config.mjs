import { OptionDefaults } from 'typedoc'

/** Those of the requests, from which their JSON Schemas are made. */
const rulesOfRequests = [
  ...['@minimum', '@maximum', '@integer', '@pattern', '@minLength', '@maxLength'],
  ...['@minItems', '@maxItems', '@maxProperties'],
]

/** Lists of names behind a union that is spelled out, and steps in working out a type: nobody has to import them. */
const behindTypes = [
  ...['cutPoints', 'endingSignals', 'findingsByProperty', 'propertyKinds', 'publishErrors', 'statusMeanings'],
  ...['KeyOf', 'Reaches'],
]

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'Warren',
  entryPoints: ['index', 'operations', 'testing'].map((door) => `packages/warrenmq/src/${door}.ts`),
  tsconfig: 'tsconfig.json',
  out: '.cache/api-reference',
  readme: 'none',
  blockTags: [...OptionDefaults.blockTags, ...rulesOfRequests],
  intentionallyNotExported: behindTypes,
  treatWarningsAsErrors: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  githubPages: false,
}
