"""A small table with a column of every kind."""

CARS = """\
id,make,model,price_usd,range_km,drive,electric,extras,built,photo
1,Aro,One,18000,,FWD,no,radio,2019-03-01,https://cars.example/1.jpg
2,Aro,Two,24000,,AWD,no,radio|roof,2020-07-15,https://cars.example/2.jpg
3,Aro,Three,31000,320,AWD,yes,radio|heated seats,2021-01-20,https://cars.example/3.jpg
4,Bex,Mini,15500,210,FWD,yes,,2021-11-30,https://cars.example/4.jpg
5,Bex,Maxi,42000,480,RWD,yes,roof|heated seats,2022-05-05,https://cars.example/5.jpg
6,Bex,Midi,27500,,FWD,no,radio,2018-09-09,https://cars.example/6.jpg
7,Cor,Sport,55000,410,RWD,yes,roof,2023-02-14,https://cars.example/7.jpg
8,Cor,Tour,36000,,AWD,no,radio|roof|heated seats,2022-12-01,https://cars.example/8.jpg
9,Cor,City,12000,150,FWD,yes,radio,2017-04-04,https://cars.example/9.jpg
10,Cor,Farm,29000,,AWD,no,roof,2020-10-10,https://cars.example/10.jpg
"""
