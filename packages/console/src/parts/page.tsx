import { type ReactNode, useEffect } from 'react'

/** By which the region of the page is named. */
export const pageTitleId = 'page-title'

/** A page with its title and what can be done on it. */
export function Page({
  title,
  heading = title,
  above,
  about,
  actions,
  children,
}: {
  /** Also that of the tab. */
  readonly title: string
  /** The same with what has a look of its own. */
  readonly heading?: ReactNode
  /** Where it belongs. */
  readonly above?: ReactNode
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  useEffect(() => {
    document.title = `${title} · Warren`
  }, [title])
  return (
    <div className="mx-auto flex min-h-full max-w-6xl flex-col md:h-full md:min-h-0 print:h-auto gap-5 px-4 pt-5 pb-4 md:px-8 md:pt-7">
      <header className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          {above && (
            <nav aria-label="Where you are" className="mb-0.5 text-quiet">
              {above}
            </nav>
          )}
          <h1 id={pageTitleId} className="foreign text-xl font-semibold tracking-tight">
            {heading}
          </h1>
          {about && <div className="mt-1 text-quiet">{about}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function SectionTitle({
  children,
  beside,
  action,
}: {
  readonly children: ReactNode
  readonly beside?: ReactNode
  /** At the end of the line. */
  readonly action?: ReactNode
}): ReactNode {
  return (
    <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
      <h2 className="font-semibold">{children}</h2>
      {beside && <span className="text-quiet">{beside}</span>}
      {action && <span className="ml-auto">{action}</span>}
    </div>
  )
}
