/** What a list is narrowed to: each field that is said must be one of what is said for it. */
export type FieldFilter<Name extends string> = Readonly<Partial<Record<Name, string | readonly string[]>>>

/** Whether a thing of a list has what is asked for in every field that is. */
export function isAskedFor<Name extends string>(
  fields: Readonly<Record<Name, string | undefined>>,
  filter: FieldFilter<NoInfer<Name>>,
): boolean {
  return (Object.keys(fields) as Name[]).every((name) => {
    const wanted: string | readonly string[] | undefined = filter[name]
    const value = fields[name]
    if (wanted === undefined) return true
    return value !== undefined && (typeof wanted === 'string' ? wanted === value : wanted.includes(value))
  })
}
