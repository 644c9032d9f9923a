/** Holds the session of a browser; its scripts cannot read it. */
export const sessionCookie = 'warren_session'
