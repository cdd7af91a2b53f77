"""The data sets we can read: what they are, whose, under which terms, and where their publishers keep them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rather.errors import UnknownNameError
from rather.learn.item_attributes import ItemAttributes
from rather.learn.ratings import Ratings
from rather.research.datasets.books import read_book_attributes, read_book_crossing, read_goodbooks, read_goodreads
from rather.research.datasets.movielens import read_genome, read_ml1m, read_ml100k, read_ml_csv, read_top_tags


@dataclass(frozen=True)
class Download:
    """One file of a publisher.

    Attributes:
        url: Where it is.
        checksum: `md5:…` or `sha256:…` as published; "" where the publisher gives none (then an archive's own
            checksums and the announced length must hold).
        size: Bytes, for the progress bar before the first answer.
    """

    url: str
    checksum: str = ""
    size: int | None = None

    @property
    def file(self) -> str:
        """Its name."""
        return self.url.rsplit("/", 1)[1]


@dataclass(frozen=True)
class Dataset:
    """A data set.

    Attributes:
        name: What commands call it, and its folder.
        title: What it is, in a line.
        homepage: Of its publisher.
        licence: What may be done with it, in a sentence or two.
        citation: What to cite.
        downloads: Files to get; none when its publisher no longer offers it.
        files: Alternatives of files, any one of which makes the data set complete.
        ratings: Reads who rated what from its folder, where it holds that.
        attributes: Reads attributes of items from its folder, where it holds them.
        table: Its file that `rather.open` opens, where it holds one.
    """

    name: str
    title: str
    homepage: str
    licence: str
    citation: str
    downloads: tuple[Download, ...]
    files: tuple[tuple[str, ...], ...]
    ratings: Callable[[Path], Ratings] | None = None
    attributes: Callable[[Path], ItemAttributes] | None = None
    table: str = ""

    def is_in(self, folder: Path) -> bool:
        """Whether the folder holds the data set in one of the forms we read."""
        return any(all((folder / file).exists() for file in files) for files in self.files)


GROUPLENS = "https://files.grouplens.org/datasets/movielens"
GROUPLENS_TERMS = (
    "For research: acknowledge it, claim no endorsement, and neither redistribute it nor use it commercially "
    "without permission from GroupLens. The full terms are in the README of the archive."
)
HARPER = (
    "F. Maxwell Harper and Joseph A. Konstan. 2015. The MovieLens Datasets: History and Context. "
    "ACM Transactions on Interactive Intelligent Systems 5, 4, Article 19. https://doi.org/10.1145/2827872"
)
VIG = (
    "Jesse Vig, Shilad Sen, and John Riedl. 2012. The Tag Genome: Encoding Community Knowledge to Support Novel "
    "Interaction. ACM Transactions on Interactive Intelligent Systems 2, 3, Article 13. "
    "https://doi.org/10.1145/2362394.2362395"
)
UCSD = "https://mcauleylab.ucsd.edu/public_datasets/gdrive/goodreads"

_ALL = (
    Dataset(
        "ml-100k",
        "MovieLens-100k: 100,000 ratings of 1,682 films by 943 people",
        "https://grouplens.org/datasets/movielens/100k/",
        GROUPLENS_TERMS,
        HARPER,
        (Download(f"{GROUPLENS}/ml-100k.zip", "md5:0e33842e24a9c977be4e0107933c0723", 4_924_029),),
        (("u.data", "u.item"), ("ratings.parquet", "items.parquet")),
        read_ml100k,
    ),
    Dataset(
        "ml-1m",
        "MovieLens-1M: 1,000,209 ratings of 3,706 films by 6,040 people",
        "https://grouplens.org/datasets/movielens/1m/",
        GROUPLENS_TERMS,
        HARPER,
        (Download(f"{GROUPLENS}/ml-1m.zip", "md5:c4d9eecfca2ab87c1945afe126590906", 5_917_549),),
        (("ratings.dat", "movies.dat"), ("ratings.parquet", "movies.parquet")),
        read_ml1m,
    ),
    Dataset(
        "ml-20m",
        "MovieLens-20M: 20,000,263 ratings of 26,744 films by 138,493 people, and the Tag Genome",
        "https://grouplens.org/datasets/movielens/20m/",
        GROUPLENS_TERMS,
        f"{HARPER}\n{VIG}",
        (Download(f"{GROUPLENS}/ml-20m.zip", "md5:cd245b17a1ae2cc31bb14903e1204af3", 198_702_078),),
        (("ratings.csv", "movies.csv", "genome-scores.csv", "genome-tags.csv"),),
        read_ml_csv,
        read_genome,
    ),
    Dataset(
        "ml-25m",
        "MovieLens-25M: 25,000,095 ratings of 59,047 films by 162,541 people, and the Tag Genome",
        "https://grouplens.org/datasets/movielens/25m/",
        GROUPLENS_TERMS,
        f"{HARPER}\n{VIG}",
        (Download(f"{GROUPLENS}/ml-25m.zip", "md5:6b51fb2759a8657d3bfcbfc42b592ada", 261_978_986),),
        (("ratings.csv", "movies.csv", "genome-scores.csv", "genome-tags.csv"),),
        read_ml_csv,
        read_genome,
    ),
    Dataset(
        "tag-genome",
        "The five strongest Tag Genome tags of 13,816 films: a part of MovieLens-25M",
        "https://grouplens.org/datasets/movielens/25m/",
        GROUPLENS_TERMS,
        f"{HARPER}\n{VIG}",
        (),
        (("ml25m_top5_tags.parquet", "ml25m_movies.parquet", "genome_tags.parquet"),),
        None,
        read_top_tags,
    ),
    Dataset(
        "goodbooks-10k",
        "goodbooks-10k: 5,976,479 ratings of 10,000 books by 53,424 people",
        "https://github.com/zygmuntz/goodbooks-10k",
        "Creative Commons Attribution-ShareAlike 4.0 International.",
        "Zygmunt Zając. 2017. Goodbooks-10k: a new dataset for book recommendations. FastML. "
        "http://fastml.com/goodbooks-10k",
        (Download("https://github.com/zygmuntz/goodbooks-10k/releases/download/v1.0/goodbooks-10k.zip"),),
        (("ratings.csv", "books.csv"), ("ratings_5pct_users.parquet", "books.parquet")),
        read_goodbooks,
        read_book_attributes,
    ),
    Dataset(
        "book-crossing",
        "Book-Crossing: 1,149,780 interactions of 105,283 people with 340,556 books",
        "http://www2.informatik.uni-freiburg.de/~cziegler/BX/ (gone)",
        "No terms travel with the files: treat it as for research, and do not redistribute it.",
        "Cai-Nicolas Ziegler, Sean M. McNee, Joseph A. Konstan, and Georg Lausen. 2005. Improving Recommendation "
        "Lists Through Topic Diversification. WWW 2005. https://doi.org/10.1145/1060745.1060754",
        (),
        (("BX-Book-Ratings.csv", "BX-Books.csv"), ("ratings.parquet", "books.parquet")),
        read_book_crossing,
    ),
    Dataset(
        "goodreads",
        "UCSD Goodreads: 228,648,342 interactions of 876,145 people with 2,360,650 books (4 GB)",
        "https://mengtingwan.github.io/data/goodreads.html",
        "For academic use only; neither redistribute it nor use it commercially.",
        "Mengting Wan and Julian McAuley. 2018. Item Recommendation on Monotonic Behavior Chains. RecSys 2018. "
        "https://doi.org/10.1145/3240323.3240369",
        (
            Download(f"{UCSD}/goodreads_interactions.csv"),
            Download(f"{UCSD}/book_id_map.csv"),
        ),
        (("goodreads_interactions.csv",),),
        read_goodreads,
    ),
    Dataset(
        "epa-vehicles",
        "2,159 cars of 2025 and 2026: a part of the fuel economy data of the EPA, with plain column names",
        "https://www.fueleconomy.gov/feg/download.shtml",
        "A work of the United States Government: in the public domain there.",
        "U.S. Environmental Protection Agency and U.S. Department of Energy. Fuel economy data. "
        "https://www.fueleconomy.gov",
        (),
        (("cars_2025_2026.csv",),),
        table="cars_2025_2026.csv",
    ),
)

DATASETS: dict[str, Dataset] = {dataset.name: dataset for dataset in _ALL}


def dataset_named(name: str) -> Dataset:
    """The data set of this name."""
    if name not in DATASETS:
        raise UnknownNameError(f"No data set is called {name!r}. There are: {', '.join(DATASETS)}.")
    return DATASETS[name]
