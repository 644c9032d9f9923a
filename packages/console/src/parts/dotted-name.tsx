import { Fragment, type ReactNode } from 'react'

/** A name such as `billing.payments.dlq`, which breaks behind its dots before it breaks anywhere else. */
export function DottedName({ name }: { readonly name: string }): ReactNode {
  return name.split(/(?<=[._:/-])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name have nothing but their order.
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ))
}
