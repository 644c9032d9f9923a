import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type UserConfig } from 'vite'

// Parts are named from the page's <base>, so that the console works under any path.
const config: UserConfig = defineConfig({
  base: './',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // What a page needs later is loaded then; a policy without 'unsafe-inline' has no room for inlined files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})

export default config
