import type { StartPage } from '../contract/contract.ts'

/** What this is and where to go. Anybody may read it, so it says nothing of this server or its broker. */
export const startPage: StartPage = {
  name: 'Warren',
  description: 'The dead letters of RabbitMQ: see why messages died, and put them back without losing one.',
  links: {
    documentation: '/docs',
    openapi: '/docs/json',
    logIn: '/api/v1/session',
    permissions: '/api/v1/my/permissions',
    deadLetterQueues: '/api/v1/dlqs',
    metrics: '/metrics',
    alive: '/healthz',
    ready: '/readyz',
  },
}

const rows: readonly (readonly [keyof StartPage['links'], string])[] = [
  ['documentation', 'Every endpoint with its schema, to read and try out'],
  ['openapi', 'The same for programs: OpenAPI 3.1'],
  ['deadLetterQueues', 'The dead-letter queues you may see; asks for a login'],
  ['permissions', 'Who you are and what you may call; asks for a login'],
  ['metrics', 'Figures for Prometheus; asks for a login'],
  ['alive', 'Whether the server answers'],
  ['ready', 'Whether it is connected to RabbitMQ'],
]

/** The same as a page, with no script and nothing from elsewhere. Its links work behind a proxy with a path, too. */
export function renderStartPage({ name, description, links }: StartPage): string {
  const items = rows.map(
    ([link, meaning]) =>
      `      <li><a href="${links[link].slice(1)}">${links[link]}</a> <span>${meaning}</span></li>`,
  )
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${name}</title>
    <style>
      :root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
      body { margin: 4rem auto; max-width: 40rem; padding: 0 1rem }
      ul { list-style: none; padding: 0 }
      li { margin: 0.5rem 0 }
      a { font-family: ui-monospace, monospace }
      span { display: block }
    </style>
  </head>
  <body>
    <h1>${name}</h1>
    <p>${description}</p>
    <ul>
${items.join('\n')}
    </ul>
  </body>
</html>
`
}
