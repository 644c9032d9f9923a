import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

/** What the server writes into the page that it serves, for the one that is served while it is changed. */
const placePage: Plugin = {
  name: 'place-page',
  apply: 'serve',
  transformIndexHtml: () => [{ tag: 'base', attrs: { href: '/' }, injectTo: 'head-prepend' }],
}

// Parts are named from the page's <base>, so that the console works under any path.
const config: UserConfig = defineConfig({
  base: './',
  plugins: [react(), tailwind(), placePage],
  // Of `npm run console`, which says where its server is.
  server: { proxy: { '/api': { target: process.env.WARREN_SERVER ?? '', changeOrigin: true } } },
  build: {
    target: 'es2022',
    // What a page needs later is loaded then; a policy without 'unsafe-inline' has no room for inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})

export default config
