import { installByApt, withApt } from '../apt.ts'

/** Installs a Debian package by apt-get, unless another process has done so meanwhile. */
export async function installPackage(name: string, isThere: () => boolean): Promise<void> {
  await withApt(async () => {
    if (!isThere()) await installByApt(name)
  })
}
