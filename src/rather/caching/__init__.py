"""What is kept between runs, in the process and in the user's cache folder."""
