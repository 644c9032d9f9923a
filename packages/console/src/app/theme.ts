export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'warren-theme'

export function readTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(place)) ?? 'system'
}

/** Shows the theme, now and whenever somebody comes back. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(place, theme)
  showTheme(theme)
}

export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
