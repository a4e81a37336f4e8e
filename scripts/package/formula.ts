/** The formula that Homebrew installs the npm package with, for a repository of formulas (a tap). */
interface FormulaOptions {
  readonly version: string;
  readonly description: string;
  /** Where the project is, without `.git`. */
  readonly repository: string;
  readonly homepage: string;
  readonly tarball: string;
  /** SHA-256 of the tarball, in hexadecimal. */
  readonly sha256: string;
}

export const formulaText = (options: FormulaOptions) => `class Fiatrail < Formula
  desc "${options.description.split(',')[0]}"
  homepage "${options.homepage}"
  url "${options.repository}/releases/download/v${options.version}/${options.tarball}"
  sha256 "${options.sha256}"
  license "Apache-2.0"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec.glob("share/man/man1/*")
    generate_completions_from_executable(bin/"fiatrail", "completion")
  end

  test do
    ENV["FIATRAIL_STATE_DIR"] = testpath.to_s
    ENV["FIATRAIL_CONFIG_DIR"] = testpath.to_s
    assert_match "is as built", shell_output("#{bin}/fiatrail version --verify")
    assert_equal "true", shell_output("#{bin}/fiatrail sandbox status -o json --query ledger.balanced").strip
  end
end
`;
